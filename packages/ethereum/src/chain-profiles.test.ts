import { describe, expect, it } from '@jest/globals';
import { batchGasCap, profileOf } from './chain-profiles.ts';

const chains = [1, 11_155_111, 10, 8_453, 42_161, 137, 43_114, 100, 31_337, 4_711];

describe('the profile of a chain', () => {
  it.each(chains)('of %s is its own, and within what nodes take', (chainId) => {
    const profile = profileOf(chainId);
    expect(profile.chainId).toBe(chainId);
    expect(profile.batchShareOfBlockGas).toBeGreaterThan(0);
    expect(profile.batchShareOfBlockGas).toBeLessThanOrEqual(1);
    expect(profile.maxFeePerGasGwei).toBeGreaterThanOrEqual(50);
    expect(profile.maxTipGwei).toBeLessThan(profile.maxFeePerGasGwei);
    expect(profile.maxTransactionBytes).toBeLessThanOrEqual(128 * 1024);
    expect(profile.maxTransactionGas).toBeLessThanOrEqual(2 ** 24);
    expect(profile.maxLagBlocks * profile.blockTimeMs).toBeGreaterThanOrEqual(5_000);
  });
  it('of a chain that is not known trusts no tag, and waits longer than that of any known one', () => {
    const unknown = profileOf(4_711);
    expect(unknown).toMatchObject({ name: 'chain 4711', finality: { kind: 'depth' } });
    for (const chainId of chains) expect(profileOf(chainId).confirmationDepth).toBeLessThanOrEqual(5);
  });
  it('bounds the gas of a batch by its share of a block, and by the most of a transaction', () => {
    expect(batchGasCap(profileOf(1), 36_000_000n)).toBe(9_000_000);
    expect(batchGasCap(profileOf(1), 100_000_000n)).toBe(16_777_216);
    // What a block of Arbitrum names
    expect(batchGasCap(profileOf(42_161), 2n ** 50n)).toBe(16_777_216);
  });
});
