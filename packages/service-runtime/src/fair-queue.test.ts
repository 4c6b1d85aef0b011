import { describe, expect, it } from '@jest/globals';
import { createFairQueue } from './fair-queue.ts';

describe('a fair queue', () => {
  it('runs so many at once, and lets parties take turns, however much another brought before (I12)', async () => {
    const run = createFairQueue(2);
    const began: string[] = [];
    const ends: (() => void)[] = [];
    const work = (party: string) =>
      run(party, () => {
        began.push(party);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = [...Array.from({ length: 5 }, () => work('crowd')), work('one'), work('two')];
    await new Promise(setImmediate);
    expect(began).toEqual(['crowd', 'crowd']);
    for (let ended = 0; ended < all.length; ended++) {
      ends[ended]?.();
      await new Promise(setImmediate);
    }
    await Promise.all(all);
    expect(began).toEqual(['crowd', 'crowd', 'crowd', 'one', 'two', 'crowd', 'crowd']);
  });

  it('goes on after work that fails', async () => {
    const run = createFairQueue(1);
    await expect(run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await run('a', async () => 7)).toBe(7);
  });
});
