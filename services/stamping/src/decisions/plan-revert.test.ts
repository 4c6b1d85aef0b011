import { zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { chooseBatches, mostReverted, planRevert, type StampToRevert } from './plan-revert.ts';

const now = '2026-01-01T00:00:00.000Z';
const stamp = (stampId: string, changes: Partial<StampToRevert> = {}): StampToRevert => ({
  ...{ stampId, version: 2, wasConfirmed: true, batchId: 'batch', requestId: null, traceparent: null },
  ...{ clientRef: null, collectionName: null },
  formerReceipt: {
    ...{ transactionHash: '0x71', logIndex: 3, blockNumber: 5, blockHash: '0xb5', blockTime: 50, chainId: 1 },
    ...{ account: '0xaa', setCid: zeroCid, objectCid: '0xc0' },
  },
  ...changes,
});
const collection = { collectionId: 9, version: 2, wasCreated: true, account: '0xaa', cid: '0x5e' } as const;

describe('the plan of a reorg (I4)', () => {
  it('reports what was confirmed as reverted, in the version after', () => {
    const former = stamp('a', { traceparent: 'trace', clientRef: 'ref' });
    const { events, confirmedStamps } = planRevert({ batchIds: ['batch'], stamps: [former], collections: [] }, now);
    expect(confirmedStamps).toBe(1);
    expect(events).toMatchObject([
      {
        contract: { type: 'StampReverted' },
        stream: 'stamp-a',
        version: 3,
        traceparent: 'trace',
        data: {
          stampId: 'a',
          formerReceipt: former.formerReceipt,
          batchId: 'batch',
          clientRef: 'ref',
          revertedAt: now,
        },
      },
    ]);
    expect(Object.keys(events[0]?.data ?? {}).sort()).toEqual([
      'batchId',
      'clientRef',
      'collectionName',
      'formerReceipt',
      'requestId',
      'revertedAt',
      'stampId',
    ]);
  });

  it('takes back what was in a block and not confirmed without an event', () => {
    const facts = {
      batchIds: ['batch'],
      stamps: [stamp('a', { wasConfirmed: false, version: 1 })],
      collections: [{ ...collection, wasCreated: false }],
    };
    expect(planRevert(facts, now)).toEqual({
      ...{ batchIds: ['batch'], stampIds: ['a'], collectionIds: [9], confirmedStamps: 0, events: [] },
    });
  });

  it('reports collections that were created', () => {
    const { events, collectionIds } = planRevert({ batchIds: [], stamps: [], collections: [collection] }, now);
    expect(collectionIds).toEqual([9]);
    expect(events).toMatchObject([
      { contract: { type: 'CollectionReverted' }, stream: 'collection-9', version: 3, data: { collectionId: 9 } },
    ]);
  });
});

describe('the batches that one transaction takes back', () => {
  const batches = (count: number, stamps: number) =>
    Array.from({ length: count }, (_, i) => ({ id: String(i), stamps }));

  it('are all where they are few', () => {
    expect(chooseBatches(batches(3, 1))).toEqual({ chosen: ['0', '1', '2'], areAll: true });
    expect(chooseBatches([])).toEqual({ chosen: [], areAll: true });
  });

  it('are the newest, the first one at least, until they have enough stamps', () => {
    expect(chooseBatches(batches(3, mostReverted.stamps))).toEqual({ chosen: ['0'], areAll: false });
    expect(chooseBatches(batches(3, mostReverted.stamps - 1)).chosen).toEqual(['0', '1']);
  });

  it('may not be all when as many were read as are read at once', () => {
    expect(chooseBatches(batches(mostReverted.batches, 1)).areAll).toBe(false);
  });
});
