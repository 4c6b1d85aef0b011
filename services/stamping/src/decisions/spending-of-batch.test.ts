import type { Run } from '@indelible/commitment-contract';
import { type Hex, zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { spendingOfBatch } from './spending-of-batch.ts';

const account = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const run = (n: number, count: number, options: Partial<Run> = {}): Run => ({
  ...{ user: account(n), count, newSet: false, setCid: zeroCid },
  ...options,
});

describe('what accounts spend with a batch', () => {
  it('is what it may cost, divided by what their runs take', () => {
    const named = { setCid: `0x${'1'.repeat(64)}` as const, newSet: true };
    const spending = spendingOfBatch([run(1, 100), run(2, 100), run(1, 100), run(3, 100, named)], 1_000_000, 3n);
    expect(spending.map((one) => one.account)).toEqual([account(1), account(2), account(3)]);
    const [first, second, third] = spending.map(({ gas }) => gas) as [number, number, number];
    expect(Math.abs(first - 2 * second)).toBeLessThanOrEqual(1);
    expect(third).toBeGreaterThan(second);
    expect(Math.abs(first + second + third - 1_000_000)).toBeLessThanOrEqual(3);
    for (const { gas, wei } of spending) expect(wei).toBe(3n * BigInt(gas));
  });

  it('leaves out who has less than a twentieth, however many there are', () => {
    const crowd = Array.from({ length: 30 }, (_, n) => run(n, 1));
    expect(spendingOfBatch(crowd, 1_000_000, 1n)).toEqual([]);
    expect(spendingOfBatch([...crowd, run(99, 2_000)], 1_000_000, 1n).map((one) => one.account)).toEqual([account(99)]);
    const twenty = Array.from({ length: 20 }, (_, n) => run(n, 7));
    expect(spendingOfBatch(twenty, 1_000_000, 1n)).toHaveLength(20);
  });

  it('is exact beyond what a number holds', () => {
    expect(spendingOfBatch([run(1, 1)], 16_777_216, 10n ** 15n + 1n)).toEqual([
      { account: account(1), gas: 16_777_216, wei: 16_777_216n * (10n ** 15n + 1n) },
    ]);
  });
});
