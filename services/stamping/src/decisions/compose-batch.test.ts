import { transactionLimits } from '@indelible/commitment-contract';
import { type Hex, zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { composeBatch, itemsAfterReverts, type WaitingStamp } from './compose-batch.ts';

const hex = (byte: number, length: number): Hex => `0x${byte.toString(16).padStart(2, '0').repeat(length)}`;
const limits = { ...transactionLimits, items: 1_000 };
const stamp = (n: number, account: number, set: number, setOnChain = true): WaitingStamp => ({
  stampId: `s${n}`,
  seq: n,
  account: hex(account, 20),
  setCid: set === 0 ? zeroCid : hex(set, 32),
  objectCid: `0x${n.toString(16).padStart(64, '0')}`,
  collectionId: set === 0 ? null : account * 100 + set,
  setOnChain,
  requestId: `r${n}`,
  traceparent: null,
  collectionName: null,
  clientRef: null,
  attempt: 1,
  reversions: 0,
  waitedSeconds: 0,
});

describe('a batch', () => {
  it('groups objects by user and set and keeps the order of asking within a set', () => {
    const batch = composeBatch([stamp(1, 1, 1), stamp(2, 2, 0), stamp(3, 1, 1), stamp(4, 1, 2)], [], limits);
    expect(batch.runs).toEqual([
      { user: hex(1, 20), count: 2, newSet: false, setCid: hex(1, 32) },
      { user: hex(2, 20), count: 1, newSet: false, setCid: zeroCid },
      { user: hex(1, 20), count: 1, newSet: false, setCid: hex(2, 32) },
    ]);
    expect(batch.stamps.map(({ stampId }) => stampId)).toEqual(['s1', 's3', 's2', 's4']);
    expect(batch.collectionIds).toEqual([]);
  });
  it('records a set that is not on the chain before its objects', () => {
    const batch = composeBatch(
      [stamp(1, 1, 1, false)],
      [{ collectionId: 101, account: hex(1, 20), cid: hex(1, 32) }],
      limits,
    );
    expect(batch.runs).toEqual([{ user: hex(1, 20), count: 1, newSet: true, setCid: hex(1, 32) }]);
    expect(batch.collectionIds).toEqual([101]);
  });
  it('records a collection that has no stamp yet', () => {
    const batch = composeBatch([], [{ collectionId: 7, account: hex(1, 20), cid: hex(9, 32) }], limits);
    expect(batch.runs).toEqual([{ user: hex(1, 20), count: 0, newSet: true, setCid: hex(9, 32) }]);
    expect(batch.collectionIds).toEqual([7]);
  });
  it('never records the zero set', () => {
    expect(composeBatch([stamp(1, 1, 0, false)], [], limits).runs).toEqual([
      { user: hex(1, 20), count: 1, newSet: false, setCid: zeroCid },
    ]);
  });
  it('stops at the item, gas and byte limits, in order', () => {
    const stamps = Array.from({ length: 6_000 }, (_, i) => stamp(i, 1, 1));
    expect(composeBatch(stamps, [], { ...limits, items: 10 }).stamps).toEqual(stamps.slice(0, 10));
    const full = composeBatch(stamps, [], { ...limits, items: 10_000 });
    expect(full.stamps.length).toBeGreaterThan(3_000);
    expect(full.size.gas).toBeLessThanOrEqual(transactionLimits.gas);
    expect(full.size.transactionBytes).toBeLessThanOrEqual(transactionLimits.transactionBytes);
    const small = composeBatch(stamps, [], { ...limits, gas: 100_000 });
    expect(small.size.gas).toBeLessThanOrEqual(100_000);
    expect(small.stamps.length).toBeGreaterThan(0);
  });
});

describe('after reverted batches', () => {
  it('items travel in ever smaller batches until the culprit is alone', () => {
    expect([0, 1, 2, 3, 9].map((reverts) => itemsAfterReverts(3_000, reverts))).toEqual([3_000, 187, 11, 1, 1]);
  });
});
