import { describe, expect, it } from '@jest/globals';
import { shareOf } from './waiting-places.ts';

const descending = (own: readonly number[]): number[] => own.toSorted((one, other) => other - one);
const sum = (own: readonly number[]): number => own.reduce((all, each) => all + each, 0);

/** Final places of accounts that all take what they get, in turns, starting from what they had. */
function flood(all: number, had: readonly number[]): number[] {
  const own = [...had];
  for (let moved = true; moved; ) {
    moved = false;
    for (const [i, waiting] of own.entries()) {
      if (waiting >= shareOf({ all, taken: sum(own), waiting: descending(own) })) continue;
      own[i] = waiting + 1;
      moved = true;
    }
  }
  return own;
}

describe('places for stamps that wait (I12)', () => {
  it.each([1, 2, 5, 20])('are shared by %i accounts that flood, with a share left for those who do not', (accounts) => {
    const all = 1_000;
    const own = flood(
      all,
      Array.from({ length: accounts }, () => 0),
    );
    for (const waiting of own) expect(Math.abs(waiting - all / (accounts + 1))).toBeLessThanOrEqual(1);
    expect(sum(own)).toBeLessThanOrEqual(all);
    expect(shareOf({ all, taken: sum(own), waiting: descending(own) })).toBeGreaterThan(0);
  });

  it.each([[[1_500]], [[900]], [[1_300, 1_300]], [[400, 400, 400, 400, 400, 400, 400, 400]]])(
    'are left for others when late requests took %j',
    (late) => {
      const all = 1_000;
      const share = shareOf({ all, taken: sum(late), waiting: late });
      expect(share).toBeCloseTo(all / (late.length + 1));
      // Those who have their share already get no more.
      expect(share).toBeLessThan(Math.min(...late));
    },
  );

  it('are never more than there are', () => {
    expect(shareOf({ all: 10, taken: 10, waiting: [5, 5] })).toBe(0);
    expect(shareOf({ all: 10, taken: 12, waiting: [] })).toBeLessThan(0);
  });
});
