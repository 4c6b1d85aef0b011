import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bumpFees, estimateFees, type Fees, likelyPriceOf, lowerFees } from './fees.ts';
import { RpcAnswerError, RpcUnavailableError } from './rpc/errors.ts';
import type { Rpc, RpcOutcome } from './rpc/port.ts';

/** A node that answers the batch by method; other methods are unknown to it. */
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
    const fees = await estimateFees(rpc);
    expect(fees).toEqual({ kind: 'eip1559', maxFeePerGas: 225n, maxPriorityFeePerGas: 5n });
    expect(likelyPriceOf(fees)).toBe(110n + 5n);
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
  it('follow no tip beyond the bound, unless the base fee is higher: a sender that fills quiet blocks sets no price', async () => {
    const reward = [['0x3b9aca00'], ['0x3b9aca00'], ['0x3b9aca00'], ['0x3b9aca00'], ['0x3b9aca00']];
    const rpc = nodeThat({ eth_getBlockByNumber: block, eth_feeHistory: { ...history, reward } });
    expect(await estimateFees(rpc, { maxPriorityFeePerGas: 200n })).toMatchObject({ maxPriorityFeePerGas: 200n });
    expect(await estimateFees(rpc, { maxPriorityFeePerGas: 20n })).toMatchObject({ maxPriorityFeePerGas: 110n });
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
    expect(likelyPriceOf({ kind: 'legacy', gasPrice: 16n })).toBe(16n);
    expect(await estimateFees(rpc, { capPerGas: 7n })).toEqual({ kind: 'legacy', gasPrice: 7n });
  });
  it('are an error when the node cannot tell', async () => {
    await expect(estimateFees(nodeThat({ eth_getBlockByNumber: {} }))).rejects.toBeInstanceOf(RpcAnswerError);
    await expect(estimateFees(nodeThat({ eth_feeHistory: history }))).rejects.toBeInstanceOf(RpcAnswerError);
  });
});

describe('a bump', () => {
  const wei = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 2n ** 80n));
  const eip1559 = fc
    .tuple(wei, wei)
    .map(([base, tip]): Fees => ({ kind: 'eip1559', maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }));
  const legacy = wei.map((gasPrice): Fees => ({ kind: 'legacy', gasPrice }));
  const anyFees = fc.oneof(legacy, eip1559);
  const amounts = (of: Fees): bigint[] =>
    of.kind === 'legacy' ? [of.gasPrice] : [of.maxFeePerGas, of.maxPriorityFeePerGas];
  const bumped = (before: Fees, market: Fees, capPerGas?: bigint): Fees | 'capped' =>
    bumpFees(before, market, capPerGas === undefined ? {} : { capPerGas });

  it('raises every fee by at least an eighth, and never changes what kind they are', () => {
    fc.assert(
      fc.property(anyFees, anyFees, (before, market) => {
        const after = bumped(before, market) as Fees;
        expect(after.kind).toBe(before.kind);
        for (const [i, amount] of amounts(after).entries()) {
          const was = amounts(before)[i] as bigint;
          expect(amount * 8n).toBeGreaterThanOrEqual(was * 9n);
          expect(amount).toBeGreaterThan(was);
        }
      }),
    );
  });
  it('asks for no more than that, or than the market', () => {
    fc.assert(
      fc.property(anyFees, anyFees, (before, market) => {
        for (const [i, amount] of amounts(bumped(before, market) as Fees).entries()) {
          const raised = ((amounts(before)[i] as bigint) * 9n) / 8n + 1n;
          expect([raised, ...amounts(market)].some((most) => amount <= most)).toBe(true);
        }
      }),
    );
  });
  it('is never below the market, and its tip never above its fee', () => {
    fc.assert(
      fc.property(anyFees, anyFees, (before, market) => {
        const [fee, tip = 0n] = amounts(bumped(before, market) as Fees);
        const [marketFee, marketTip = 0n] = amounts(market);
        expect(fee).toBeGreaterThanOrEqual(marketFee as bigint);
        if (before.kind === 'eip1559') expect(tip).toBeGreaterThanOrEqual(marketTip);
        expect(tip).toBeLessThanOrEqual(fee as bigint);
      }),
    );
  });
  it('is never over the cap, and capped only where the whole bump would be', () => {
    fc.assert(
      fc.property(anyFees, anyFees, wei, (before, market, cap) => {
        const after = bumped(before, market, cap);
        const free = bumped(before, market) as Fees;
        if (after === 'capped') expect(amounts(free)[0]).toBeGreaterThan(cap);
        else {
          expect(after).toEqual(free);
          expect(amounts(after)[0]).toBeLessThanOrEqual(cap);
        }
      }),
    );
  });
  it('rounds up', () => {
    const before: Fees = { kind: 'eip1559', maxFeePerGas: 1001n, maxPriorityFeePerGas: 0n };
    const market: Fees = { kind: 'legacy', gasPrice: 1n };
    expect(bumpFees(before, market, { capPerGas: 1127n })).toEqual({
      kind: 'eip1559',
      maxFeePerGas: 1127n,
      maxPriorityFeePerGas: 1n,
    });
    expect(bumpFees(before, market, { capPerGas: 1126n })).toBe('capped');
  });
});

describe('fees that are lowered', () => {
  const market = { kind: 'eip1559', maxFeePerGas: 100n, maxPriorityFeePerGas: 60n } as const;
  it("are the market's where these fit, and never more", () => {
    expect(lowerFees(market, 100n)).toEqual(market);
    expect(lowerFees(market, 1_000n)).toEqual(market);
    expect(lowerFees({ kind: 'legacy', gasPrice: 7n }, 9n)).toEqual({ kind: 'legacy', gasPrice: 7n });
  });
  it('go down to half of the market, the tip within them, and no further', () => {
    expect(lowerFees(market, 50n)).toEqual({ kind: 'eip1559', maxFeePerGas: 50n, maxPriorityFeePerGas: 50n });
    expect(lowerFees(market, 49n)).toBe('too-little');
    expect(lowerFees({ kind: 'legacy', gasPrice: 0n }, 0n)).toBe('too-little');
  });
});
