import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpFees, estimateFees, type Fees } from './fees.ts';
import type { Rpc, RpcOutcome } from './rpc/client.ts';
import { RpcAnswerError, RpcUnavailableError } from './rpc/errors.ts';

/** A node that answers the batch by method; what is not given it does not know. */
const nodeThat = (answers: Record<string, unknown>): Rpc => ({
  call: () => Promise.reject(new RpcUnavailableError('not asked')),
  batch: async (calls) =>
    calls.map(({ method }): RpcOutcome => {
      if (method in answers) return { ok: true, result: answers[method] };
      return { ok: false, error: new RpcAnswerError(method, -32601, 'the method does not exist', undefined) };
    }),
  chainId: async () => 1,
  close: () => undefined,
});
const block = { baseFeePerGas: '0x64' };
const history = {
  baseFeePerGas: ['0x60', '0x61', '0x62', '0x64', '0x65', '0x6e'],
  gasUsedRatio: [0.5, 0, 0.4, 0.9, 0.1],
  reward: [['0x3'], ['0x0'], ['0x5'], ['0x4'], ['0x7']],
};

describe('fees', () => {
  it("are twice the next block's base fee and the median tip of blocks that were not empty", async () => {
    const rpc = nodeThat({ eth_getBlockByNumber: block, eth_feeHistory: history });
    expect(await estimateFees(rpc)).toEqual({ kind: 'eip1559', maxFeePerGas: 225n, maxPriorityFeePerGas: 5n });
  });
  it('never pass the cap, and keep the tip within them', async () => {
    const rpc = nodeThat({ eth_getBlockByNumber: block, eth_feeHistory: history });
    expect(await estimateFees(rpc, { capPerGas: 200n })).toMatchObject({
      maxFeePerGas: 200n,
      maxPriorityFeePerGas: 5n,
    });
    expect(await estimateFees(rpc, { capPerGas: 3n })).toMatchObject({ maxFeePerGas: 3n, maxPriorityFeePerGas: 3n });
  });
  it('offer the least tip that is configured', async () => {
    const rpc = nodeThat({ eth_getBlockByNumber: block, eth_feeHistory: history });
    expect(await estimateFees(rpc, { minPriorityFeePerGas: 50n })).toMatchObject({
      maxFeePerGas: 270n,
      maxPriorityFeePerGas: 50n,
    });
  });
  it("follow the node's own tip where it has no history", async () => {
    const rpc = nodeThat({ eth_getBlockByNumber: block, eth_maxPriorityFeePerGas: '0x9' });
    expect(await estimateFees(rpc)).toEqual({ kind: 'eip1559', maxFeePerGas: 209n, maxPriorityFeePerGas: 9n });
  });
  it('are a gas price on a chain without a base fee, whatever its history says', async () => {
    const rpc = nodeThat({
      eth_getBlockByNumber: {},
      eth_feeHistory: { ...history, baseFeePerGas: ['0x0', '0x0'] },
      eth_gasPrice: '0x10',
    });
    expect(await estimateFees(rpc)).toEqual({ kind: 'legacy', gasPrice: 16n });
    expect(await estimateFees(rpc, { capPerGas: 7n })).toEqual({ kind: 'legacy', gasPrice: 7n });
  });
  it('are an error when the node cannot tell', async () => {
    await expect(estimateFees(nodeThat({ eth_getBlockByNumber: {} }))).rejects.toBeInstanceOf(RpcAnswerError);
    await expect(estimateFees(nodeThat({ eth_feeHistory: history }))).rejects.toBeInstanceOf(RpcAnswerError);
  });
});

describe('a bump', () => {
  const fees = fc.oneof(
    fc.record({ kind: fc.constant('legacy' as const), gasPrice: fc.bigInt(0n, 2n ** 80n) }),
    fc.record({
      kind: fc.constant('eip1559' as const),
      maxFeePerGas: fc.bigInt(0n, 2n ** 80n),
      maxPriorityFeePerGas: fc.bigInt(0n, 2n ** 80n),
    }),
  );
  const amounts = (of: Fees): bigint[] =>
    of.kind === 'legacy' ? [of.gasPrice] : [of.maxFeePerGas, of.maxPriorityFeePerGas];

  it('raises every fee by at least an eighth', () => {
    fc.assert(
      fc.property(fees, (before) => {
        const after = bumpFees(before) as Fees;
        expect(after.kind).toBe(before.kind);
        amounts(after).forEach((amount, i) => {
          expect(amount * 8n).toBeGreaterThanOrEqual((amounts(before)[i] as bigint) * 9n);
          expect(amount).toBeGreaterThan(amounts(before)[i] as bigint);
        });
      }),
    );
  });
  it('is none where the cap leaves no room for a whole one', () => {
    const before: Fees = { kind: 'eip1559', maxFeePerGas: 1000n, maxPriorityFeePerGas: 10n };
    expect(bumpFees(before, { capPerGas: 1125n })).toBeUndefined();
    expect(bumpFees(before, { capPerGas: 1126n })).toMatchObject({ maxFeePerGas: 1126n, maxPriorityFeePerGas: 12n });
    expect(bumpFees({ kind: 'legacy', gasPrice: 1000n }, { capPerGas: 1100n })).toBeUndefined();
  });
});
