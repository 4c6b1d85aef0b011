import type { Hex } from '@indelible/identifiers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createFairSeats } from './fair-seats.ts';

const [ada, bob, cleo]: Hex[] = ['0xaa', '0xbb', '0xcc'];
const settings = { seats: 4, perAccount: 2, maxWaiting: 20, waitMs: 60_000 };
const never = new AbortController().signal;
/** Ends the remaining waits after a test. */
let over = new AbortController();
afterEach(() => {
  over.abort(new Error('the test is over'));
  over = new AbortController();
});

/** Takes places one after the other, and records the turns. */
function stage(overrides: Partial<typeof settings> = {}) {
  const seats = createFairSeats({ ...settings, ...overrides });
  const turns: Hex[] = [];
  const leave: (() => void)[] = [];
  const take = async (account: Hex): Promise<void> => {
    const { signal } = over;
    const free = await seats.take(account, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (free === undefined) return;
    turns.push(account);
    leave.push(free);
  };
  return { seats, turns, leave, take };
}
const settled = () => new Promise(setImmediate);

describe('places that accounts share', () => {
  it('go to another account at once, however many one account waits for (I12)', async () => {
    const { turns, take } = stage();
    for (let i = 0; i < 12; i++) void take(ada as Hex);
    await take(bob as Hex);
    expect(turns).toEqual([ada, ada, bob]);
  });

  it('go round the accounts that wait, and in order within one', async () => {
    const { turns, leave, take } = stage({ seats: 1, perAccount: 1 });
    for (const account of [ada, ada, ada, bob, bob, cleo]) void take(account as Hex);
    for (let i = 0; i < 6; i++) {
      await settled();
      leave[i]?.();
    }
    await settled();
    expect(turns).toEqual([ada, ada, bob, cleo, ada, bob]);
  });

  it('come free once, however often they are given back', async () => {
    const { seats } = stage({ seats: 1, perAccount: 1 });
    const leave = await seats.take(ada as Hex, never);
    leave();
    leave();
    await seats.take(ada as Hex, never);
    const impatient = new AbortController();
    const waits = seats.take(bob as Hex, impatient.signal);
    impatient.abort(new Error('gone'));
    await expect(waits).rejects.toThrow('gone');
  });

  it('are refused to an account that waits for too many already, and to it alone', async () => {
    const { seats, take, turns } = stage({ perAccount: 1, maxWaiting: 1 });
    await take(ada as Hex);
    void take(ada as Hex);
    await expect(seats.take(ada as Hex, never)).rejects.toThrow('too many');
    await take(bob as Hex);
    expect(turns).toEqual([ada, bob]);
  });

  it('that do not come free in time are given up, and the next in line gets them', async () => {
    const { seats, leave, take, turns } = stage({ seats: 1, perAccount: 1, waitMs: 1 });
    await take(ada as Hex);
    await expect(seats.take(bob as Hex, never)).rejects.toThrow('in time');
    leave[0]?.();
    await take(cleo as Hex);
    expect(turns).toEqual([ada, cleo]);
  });
});
