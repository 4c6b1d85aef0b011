import { describe, expect, it } from '@jest/globals';
import { createFairShare, type FairShare } from './fair-share.ts';

const fill = (shares: FairShare, party: string, amount = 1): number => {
  let taken = 0;
  while (shares.take(party, amount)) taken += amount;
  return taken;
};

describe('a fair share (I12)', () => {
  it('is half for a party alone, and something is always left for the next', () => {
    const shares = createFairShare(1_000);
    expect(['a', 'b', 'c', 'd'].map((party) => fill(shares, party))).toEqual([500, 250, 125, 63]);
    expect(shares.taken()).toBe(938);
  });
  it('comes back, whoever had it', () => {
    const shares = createFairShare(10);
    fill(shares, 'a');
    shares.give('a', 5);
    expect(shares.taken()).toBe(0);
    expect(fill(shares, 'b')).toBe(5);
  });
  it('of one is for one at a time', () => {
    const shares = createFairShare(1);
    expect([shares.take('a'), shares.take('a'), shares.take('b')]).toEqual([true, false, false]);
  });
  it('never exceeds the whole, in amounts of any size', () => {
    const shares = createFairShare(1_000);
    expect(shares.take('a', 1_001)).toBe(false);
    expect(shares.take('a', 1_000)).toBe(true);
    expect(shares.take('b')).toBe(false);
  });
  it('returns how much may be taken', () => {
    const shares = createFairShare(1_000);
    expect(shares.room('a', 600)).toBe(500);
    shares.take('a', 500);
    expect([shares.room('a', 1), shares.room('b', 600), shares.room('b', 7)]).toEqual([0, 250, 7]);
  });
});
