import { describe, expect, it } from '@jest/globals';
import { mayWait } from './waiting-places.ts';

/** How many places accounts end up with that all take what they get, in turns. */
function flood(all: number, accounts: number): number[] {
  const own = Array.from({ length: accounts }, () => 0);
  for (let moved = true; moved; ) {
    moved = false;
    for (const [i, waiting] of own.entries()) {
      const taken = own.reduce((sum, each) => sum + each, 0);
      if (!mayWait({ all, taken }, waiting)) continue;
      own[i] = waiting + 1;
      moved = true;
    }
  }
  return own;
}

describe('places for stamps that wait (I12)', () => {
  it.each([1, 2, 5, 20])('are shared by %i accounts that flood, with a share left for those who do not', (accounts) => {
    const all = 1_000;
    const own = flood(all, accounts);
    for (const waiting of own) expect(Math.abs(waiting - all / (accounts + 1))).toBeLessThanOrEqual(1);
    const taken = own.reduce((sum, each) => sum + each, 0);
    expect(mayWait({ all, taken }, 0)).toBe(true);
  });

  it('are never more than there are', () => {
    expect(mayWait({ all: 10, taken: 10 }, 0)).toBe(false);
    expect(mayWait({ all: 10, taken: 12 }, 0)).toBe(false);
  });
});
