import { UnavailableError } from '@indelible/service-runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createWaitingRoom, type Ticket, type WaitingRoom } from './waiting-room.ts';

const maxWaiting = 100;
let room: WaitingRoom;
let held: Ticket[];
beforeEach(() => {
  room = createWaitingRoom({ maxWaiting, waitLimitMs: 60_000 });
  held = [];
});
afterEach(() => {
  leaveAll(held);
  expect(room.size()).toBe(0);
});

function enter(account: string, onGone?: (ended: () => void) => void): Ticket {
  const ticket = room.enter(account, onGone);
  held.push(ticket);
  return ticket;
}

/** Enters until there is no place for the account. */
function fill(account: string): Ticket[] {
  const tickets: Ticket[] = [];
  for (;;)
    try {
      tickets.push(enter(account));
    } catch (error) {
      expect(error).toBeInstanceOf(UnavailableError);
      expect((error as Error).message).toBe('too many requests are waiting');
      return tickets;
    }
}
const leaveAll = (tickets: readonly Ticket[]): void => tickets.forEach((ticket) => void ticket.leave());

describe('the places of a waiting room (I12)', () => {
  it('are half an account’s when it takes all it can, and another gets half of the rest', () => {
    expect(fill('ada')).toHaveLength(maxWaiting / 2);
    expect(fill('bob')).toHaveLength(maxWaiting / 4);
    expect(room.size()).toBe((3 * maxWaiting) / 4);
    expect(fill('cyd').length).toBeGreaterThan(10);
  });

  it('become even as places of the first are freed: the account with less gets them', () => {
    const ada = fill('ada');
    const bob = fill('bob');
    leaveAll(ada.slice(0, maxWaiting / 4));
    const more = fill('bob').length;
    expect(bob.length + more).toBeGreaterThan(maxWaiting / 4);
    expect(fill('ada').length).toBeLessThan(more);
    expect(fill('cyd').length).toBeGreaterThan(10);
  });

  it('are there for another at once, whatever an account of many requests does again and again', () => {
    for (let times = 0; times < 20; times++) {
      const ada = fill('ada');
      const bob = enter('bob');
      leaveAll([...ada, bob]);
      expect(room.size()).toBe(0);
    }
  });

  it('are given back once, however often a ticket is left', () => {
    const ticket = enter('ada');
    enter('bob');
    ticket.leave();
    ticket.leave();
    expect(room.size()).toBe(1);
  });

  it('are kept by an account whose waits have ended until these are left', () => {
    const leaving: (() => void)[] = [];
    const tickets = Array.from({ length: maxWaiting / 2 }, () => enter('ada', (ended) => leaving.push(ended)));
    for (const leave of leaving) leave();
    expect(tickets.every(({ signal }) => signal.aborted)).toBe(true);
    expect(fill('ada')).toEqual([]);
    leaveAll(tickets);
    expect(fill('ada')).toHaveLength(maxWaiting / 2);
  });
});
