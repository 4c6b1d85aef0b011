import { hexOfBytes, zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Transaction } from 'ethers';
import fc from 'fast-check';
import {
  addBatchSizes,
  emptyBatchSize,
  estimateBatchSize,
  fitsLimits,
  runSize,
  transactionLimits,
} from './batch-size.ts';
import { encodeCommitBatch, type Run } from './codec/commit-batch.ts';

const allOnes = { user: `0x${'ff'.repeat(20)}`, setCid: `0x${'ff'.repeat(32)}`, newSet: false } as const;
const runs = fc.array(
  fc.record({
    user: fc.constant(allOnes.user),
    count: fc.nat({ max: 300 }),
    newSet: fc.boolean(),
    setCid: fc.constantFrom(allOnes.setCid, zeroCid),
  }),
  { maxLength: 20 },
);
const encode = (list: readonly Run[]) =>
  encodeCommitBatch(list, new Uint8Array(32 * list.reduce((sum, run) => sum + run.count, 0)).fill(0xff));

describe('estimateBatchSize', () => {
  it('knows the length of the call data exactly and covers the longest transaction around it', () => {
    fc.assert(
      fc.property(runs, (list) => {
        const data = encode(list);
        const size = estimateBatchSize(list);
        const transaction = Transaction.from({
          type: 2,
          chainId: 2n ** 53n,
          nonce: 2 ** 52,
          to: allOnes.user,
          gasLimit: 2n ** 64n - 1n,
          maxFeePerGas: 2n ** 256n - 1n,
          maxPriorityFeePerGas: 2n ** 256n - 1n,
          data: hexOfBytes(data),
          signature: { r: `0x${'7f'.repeat(32)}`, s: `0x${'7f'.repeat(32)}`, v: 28 },
        });
        expect(size.calldataBytes).toBe(data.length);
        expect(transaction.serialized.length / 2 - 1).toBeLessThanOrEqual(size.transactionBytes);
      }),
    );
  });

  it('covers the floor price of call data (EIP-7623)', () => {
    fc.assert(
      fc.property(runs, (list) => {
        const tokens = encode(list).reduce((sum, byte) => sum + (byte === 0 ? 1 : 4), 0);
        expect(estimateBatchSize(list).gas).toBeGreaterThanOrEqual(21_000 + 10 * tokens);
      }),
    );
  });

  it('is the sum of its runs, each linear in its objects', () => {
    const one = runSize({ ...allOnes, count: 1 });
    const two = runSize({ ...allOnes, count: 2 });
    const three = runSize({ ...allOnes, count: 3 });
    expect(three.gas - two.gas).toBe(two.gas - one.gas);
    const list = [
      { ...allOnes, count: 2 },
      { ...allOnes, count: 3 },
    ];
    expect(estimateBatchSize(list)).toEqual(addBatchSizes(addBatchSizes(emptyBatchSize, two), three));
  });

  it('returns what one transaction can hold', () => {
    const size = (count: number) => estimateBatchSize([{ ...allOnes, count }]);
    expect(fitsLimits(size(4_000))).toBe(true);
    expect(fitsLimits(size(4_200))).toBe(false);
    expect(fitsLimits(size(1), { ...transactionLimits, gas: size(1).gas - 1 })).toBe(false);
    const newSets = (count: number) => estimateBatchSize(Array(count).fill({ ...allOnes, count: 1, newSet: true }));
    expect(fitsLimits(newSets(500))).toBe(true);
    expect(fitsLimits(newSets(560))).toBe(false);
  });
});
