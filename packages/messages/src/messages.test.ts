import { zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import {
  allMessages,
  type DataOf,
  FileFailed,
  FileFailedV1,
  FileFailedV2,
  FileStored,
  FileStoredV1,
  type MessageContract,
  maxUploadReceipts,
  RequestStamp,
  RequestStampV2,
  requestDays,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampReverted,
  StampRevertedV2,
  StampsSubmitted,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
  StoreUploadedContent,
  subjectOf,
  topics,
} from './index.ts';

const request: RequestStamp = {
  requestId: '00000000-0000-4000-8000-000000000001',
  account: `0x${'aa'.repeat(20)}`,
  set: { kind: 'none' },
  setCidHint: zeroCid,
  objectCid: `0x${'bb'.repeat(32)}`,
  idempotency: { windowSeconds: 3600 },
  content: null,
  awaits: 'outcome',
  replyTo: 'gateway-1',
  requestedAt: '2026-11-21T04:00:00.000Z',
  clientRef: null,
};

/** The former and newest versions of messages that have two. */
const versions: readonly (readonly [MessageContract, MessageContract])[] = [
  [RequestStampV2, RequestStamp],
  [StampsSubmittedV1, StampsSubmittedV2],
  [StampsSubmittedV2, StampsSubmittedV3],
  [StampsSubmittedV3, StampsSubmitted],
  [StampConfirmedV2, StampConfirmed],
  [StampRevertedV2, StampReverted],
  [StampFailedV1, StampFailed],
  [FileStoredV1, FileStored],
  [FileFailedV1, FileFailedV2],
  [FileFailedV2, FileFailed],
];

describe('message contracts', () => {
  it('have a subject each, a topic that is provisioned, and a schema that compiles', () => {
    expect(new Set(allMessages.map(subjectOf)).size).toBe(allMessages.length);
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    for (const contract of allMessages) {
      expect(topics[contract.topic].partitions).toBeGreaterThan(0);
      expect(() => ajv.compile(contract.schema)).not.toThrow();
    }
  });

  it('order the requests of one identity behind each other, whatever else differs', () => {
    const key = RequestStamp.key(request);
    expect(RequestStamp.key({ ...request, requestId: '00000000-0000-4000-8000-000000000002', idempotency: null })).toBe(
      key,
    );
    // The set may be known by its name only when the first of two requests comes.
    expect(RequestStamp.key({ ...request, setCidHint: `0x${'dd'.repeat(32)}` })).toBe(key);
  });

  it('that share records have few keys, and those of one stamp the same', () => {
    const keyOf = (i: number) => RequestStamp.key({ ...request, objectCid: `0x${i.toString(16).padStart(64, '0')}` });
    const keys = new Set(Array.from({ length: 1_000 }, (_, i) => keyOf(i)));
    expect(keys.size).toBe(8);
    const stampId = '00000000-0000-4000-8000-0000000000ff';
    const failed = StampFailed.key({ stampId } as DataOf<typeof StampFailed>);
    expect(StampReverted.key({ stampId } as DataOf<typeof StampReverted>)).toBe(failed);
    expect(failed).toBe(StampConfirmed.key({ stampId } as DataOf<typeof StampConfirmed>));
  });

  it('are a new version when they say more: all that the former says, under the same key', () => {
    for (const [former, newest] of versions) {
      // The newest has more than the ids of a batch's stamps.
      const { stampIds: _, stamps: _former, ...known } = former.schema.properties;
      expect(newest.schema.properties).toMatchObject(known);
      expect([newest.type, newest.topic, newest.packed]).toEqual([former.type, former.topic, former.packed]);
      expect(newest.version).toBe(former.version + 1);
      expect(newest.key.toString()).toBe(former.key.toString());
    }
  });

  it('of requests that made no stamp are forgotten only where no service reads them', () => {
    for (const { topic, consumers, schema } of allMessages) {
      if (topics[topic].kind !== 'events' || topics[topic].retentionMs < 0) continue;
      expect([topic, consumers, Object.keys(schema.properties)]).toEqual([
        'events.requests',
        [],
        expect.not.arrayContaining(['content']),
      ]);
    }
    expect(topics['events.requests'].retentionMs).toBeGreaterThan(requestDays * 86_400_000);
  });

  it('refuse malformed data: upper-case hex, missing fields, an unknown kind of set', () => {
    const validate = new Ajv().compile(RequestStamp.schema);
    expect(validate(request)).toBe(true);
    expect(validate({ ...request, objectCid: `0x${'BB'.repeat(32)}` })).toBe(false);
    expect(validate({ ...request, set: { kind: 'other' } })).toBe(false);
    const { account: _account, ...missing } = request;
    expect(validate(missing)).toBe(false);
    expect(validate({ ...request, clientRef: '😀'.repeat(200) })).toBe(true);
    for (const clientRef of ['', 'r'.repeat(201), undefined]) expect(validate({ ...request, clientRef })).toBe(false);
  });

  it('order the uploads of one content into one set, and bound how many commitments one names', () => {
    const receipt = {
      transactionHash: request.objectCid,
      logIndex: 0,
      blockNumber: 1,
      blockHash: request.objectCid,
      blockTime: 1,
      chainId: 1,
      account: request.account,
      setCid: request.objectCid,
      objectCid: request.objectCid,
    };
    const upload: StoreUploadedContent = {
      requestId: request.requestId,
      account: request.account,
      setCid: request.objectCid,
      objectCid: request.objectCid,
      collectionName: 'Photos',
      receipts: [receipt],
      content: { stagedId: request.requestId, objectCid: request.objectCid, size: 0, crc32c: 0, fileName: 'a' },
      replyTo: null,
      requestedAt: request.requestedAt,
    };
    const other = { ...upload, requestId: '00000000-0000-4000-8000-000000000002', collectionName: 'photos' };
    expect(StoreUploadedContent.key(other)).toBe(StoreUploadedContent.key(upload));
    expect(StoreUploadedContent.key({ ...upload, setCid: zeroCid })).not.toBe(StoreUploadedContent.key(upload));
    const validate = new Ajv().compile(StoreUploadedContent.schema);
    expect(validate(upload)).toBe(true);
    const many = Array.from({ length: maxUploadReceipts + 1 }, () => receipt);
    for (const receipts of [[], many]) expect(validate({ ...upload, receipts })).toBe(false);
    expect(Buffer.byteLength(JSON.stringify({ ...upload, receipts: many }))).toBeLessThan(512 * 1024);
  });
});
