import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createTurns } from './turns.ts';

describe('work in turns', () => {
  it('is done at once when it comes alone', () => {
    const done: number[] = [];
    createTurns(2)(() => done.push(1));
    expect(done).toEqual([1]);
  });

  it('that comes in a crowd is done a few a turn, in its order', async () => {
    const done: number[] = [];
    const inTurns = createTurns(2);
    for (let n = 1; n <= 5; n++) inTurns(() => done.push(n));
    expect(done).toEqual([1, 2]);
    await turn();
    expect(done).toEqual([1, 2, 3, 4]);
    inTurns(() => done.push(6));
    expect(done).toEqual([1, 2, 3, 4]);
    await turn();
    expect(done).toEqual([1, 2, 3, 4, 5, 6]);
    await turn();
    inTurns(() => done.push(7));
    expect(done.at(-1)).toBe(7);
  });
});
