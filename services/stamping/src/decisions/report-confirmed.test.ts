import { zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import {
  type ConfirmedCollection,
  type ConfirmedStamp,
  eventsOfCollections,
  eventsOfStamps,
  repliesOfCollections,
  repliesOfStamps,
} from './report-confirmed.ts';

const receipt: ConfirmedStamp['receipt'] = {
  ...{ transactionHash: '0x71', logIndex: 3, blockNumber: 5, blockHash: '0xb5', blockTime: 50, chainId: 1 },
  ...{ account: '0xaa', setCid: zeroCid, objectCid: '0xc0' },
};
const stamp = (changes: Partial<ConfirmedStamp> = {}): ConfirmedStamp => ({
  ...{ stampId: 'a', version: 2, receipt, collectionName: null, collectionBlock: null, content: null, replyTo: null },
  ...{ requestId: null, traceparent: null, clientRef: null, batchId: 'batch', requestedAt: 40 },
  ...changes,
});
const collection: ConfirmedCollection = {
  ...{ collectionId: 9, version: 2, account: '0xaa', cid: '0x5e', transactionHash: '0x71', blockNumber: 5 },
  ...{ blockTime: 50, blockHash: '0xb5', logIndex: 2 },
};

describe('the report of confirmed stamps', () => {
  it('is an event in the stream of each, in its trace', () => {
    const requested = stamp({ requestId: 'request', traceparent: 'decided' });
    const [event] = eventsOfStamps([requested], (traceparent) => `after ${traceparent}`);
    expect(event).toMatchObject({
      ...{ contract: { type: 'StampConfirmed' }, stream: 'stamp-a', version: 2 },
      ...{ requestId: 'request', traceparent: 'after decided' },
    });
    expect(Object.keys(event?.data ?? {}).sort()).toEqual([
      'batchId',
      'clientRef',
      'collectionName',
      'content',
      'receipt',
      'replyTo',
      'requestId',
      'stampId',
    ]);
  });

  it('answers the request that made a stamp, and those that joined it, each once', () => {
    const content = { stagedId: 'staged' } as unknown as ConfirmedStamp['content'];
    const stamps = [stamp({ replyTo: 'gateway-1', content, collectionBlock: 5 }), stamp({ stampId: 'b' })];
    const joined = [
      { requestId: 'joined', stampId: 'a', replyTo: 'gateway-2' },
      { requestId: 'other', stampId: 'unknown', replyTo: 'gateway-2' },
    ];
    const confirmed = { kind: 'confirmed', stampId: 'a', receipt, collectionCreated: true };
    expect(repliesOfStamps(stamps, joined)).toEqual([
      { replyTo: 'gateway-1', reply: { ...confirmed, requestId: 'a', outcome: 'created', awaitsFile: true } },
      { replyTo: 'gateway-2', reply: { ...confirmed, requestId: 'joined', outcome: 'repeated', awaitsFile: false } },
    ]);
  });

  it('does not name a collection as created that was recorded before', () => {
    const [reply] = repliesOfStamps([stamp({ replyTo: 'gateway-1', collectionBlock: 4 })], []);
    expect(reply?.reply).toMatchObject({ collectionCreated: false });
  });
});

describe('the report of created collections', () => {
  it('is of the former version where the block is not known', () => {
    const former = { ...collection, blockHash: null, logIndex: null };
    const events = eventsOfCollections([collection, former], 1);
    expect(events.map(({ contract: { type, version } }) => `${type} ${version}`)).toEqual([
      'CollectionCreated 2',
      'CollectionCreated 1',
    ]);
    expect(events.map(({ data }) => 'blockHash' in data)).toEqual([true, false]);
  });

  it('answers requests that wait, but those that nobody waits for', () => {
    const waiting = [
      { requestId: 'one', collectionId: 9, replyTo: 'gateway-1' },
      { requestId: 'two', collectionId: 9, replyTo: null },
    ];
    expect(repliesOfCollections([collection], waiting)).toEqual([
      {
        replyTo: 'gateway-1',
        reply: { requestId: 'one', kind: 'collection-created', collectionId: 9, account: '0xaa', cid: '0x5e' },
      },
    ]);
  });
});
