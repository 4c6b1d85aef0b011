import { expect, it } from '@jest/globals';
import { triesOfSlow, tryAgainAt } from './try-again.ts';

it('a file is tried again later each time, for about a day, and then given up (I11)', () => {
  const start = new Date('2026-01-01T00:00:00Z');
  const waits: number[] = [];
  let now = start;
  for (let tries = 1; ; tries++) {
    const next = tryAgainAt(tries, now);
    if (next === null) break;
    waits.push(next.getTime() - now.getTime());
    now = next;
  }
  expect(waits.slice(0, 3)).toEqual([10_000, 20_000, 40_000]);
  expect(Math.max(...waits)).toBe(3_600_000);
  expect(now.getTime() - start.getTime()).toBeGreaterThan(12 * 3_600_000);
  expect(now.getTime() - start.getTime()).toBeLessThan(36 * 3_600_000);
});

it('a file that is slow is tried again less often, at least every six minutes, and never given up for that (I12)', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const waits: number[] = [];
  for (let tries = 0, round = 0; round < 100; round++) {
    tries = triesOfSlow(tries);
    waits.push((tryAgainAt(tries, now)?.getTime() ?? Number.NaN) - now.getTime());
  }
  expect(waits.slice(0, 3)).toEqual([10_000, 20_000, 40_000]);
  expect(Math.max(...waits)).toBe(320_000);
  expect(triesOfSlow(29)).toBe(29);
});
