import { describe, expect, it } from '@jest/globals';
import { createLineWindow, type WindowShare } from './line-window.ts';

const any = (): number => Number.POSITIVE_INFINITY;
const never = new AbortController().signal;
/** Takes as much as it can have now. */
async function fill(share: WindowShare): Promise<number> {
  let all = 0;
  for (;;) {
    const noWait = new AbortController();
    const taking = share.take(1_000_000, any, noWait.signal);
    noWait.abort(new Error('full'));
    try {
      all += await taking;
    } catch {
      return all;
    }
  }
}

describe('the window of lines', () => {
  it('gives half to a single account, and always keeps something for the next (I12)', async () => {
    const window = createLineWindow(1_000);
    const shares = ['a', 'b', 'c', 'd'].map(window.join);
    const taken: number[] = [];
    for (const share of shares) taken.push(await fill(share));
    expect(taken).toEqual([500, 250, 125, 63]);
    expect(window.size()).toBe(938);
  });

  it('is shared by accounts, not by batches: a hundred of one leave the next account its part (I12)', async () => {
    const window = createLineWindow(1_000);
    let taken = 0;
    for (let batch = 0; batch < 100; batch++) taken += await fill(window.join('a'));
    expect(taken).toBe(500);
    expect(await fill(window.join('b'))).toBe(250);
  });

  it('gives one line at least, and what was given back', async () => {
    const window = createLineWindow(1);
    const [one, other] = [window.join('a'), window.join('b')];
    expect(await one.take(9, any, never)).toBe(1);
    const waiting = other.take(9, any, never);
    one.give(1);
    expect(await waiting).toBe(1);
    expect(window.size()).toBe(1);
  });

  it('has all again when those who left had not given back, and nothing twice', async () => {
    const window = createLineWindow(10);
    const share = window.join('a');
    await share.take(5, any, never);
    share.give(2);
    share.leave();
    share.leave();
    share.give(3);
    expect(window.size()).toBe(0);
    expect(await fill(window.join('a'))).toBe(5);
  });

  it('keeps to the room that a batch has, and looks again when lines are given back', async () => {
    const share = createLineWindow(100).join('a');
    const room = (underWay: number): number => 3 - underWay;
    expect(await share.take(9, room, never)).toBe(3);
    const waiting = share.take(9, room, never);
    share.give(2);
    expect(await waiting).toBe(2);
  });

  it('ends a wait with its signal', async () => {
    const window = createLineWindow(1);
    await window.join('a').take(1, any, never);
    const leaving = new AbortController();
    const waiting = window.join('a').take(1, any, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });
});
