import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createMessageBus, type MessageBus, outgoing, type Publisher } from '@indelible/kafka';
import {
  commandGroups,
  RequestStamp,
  type StagedContent,
  StampConfirmed,
  StampFailed,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StoreUploadedContent,
} from '@indelible/messages';
import { startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase, type TestKafka, testKafka, testRedis } from '@indelible/testing';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createStorageService } from '../../src/service.ts';
import { isStaged, stage, type TestBlobStore, testBlobStore } from '../support/content.ts';
import { logger, storageDatabase } from '../support/database.ts';
import { confirmed, receiptOf, requested } from '../support/stamps.ts';

const events = [
  StampRequested,
  StampRequestJoined,
  StampConfirmed,
  StampReverted,
  StampFailed,
  StampRequestRefused,
] as const;
let server: TestDatabase;
let kafka: TestKafka;
let store: TestBlobStore;
let bus: MessageBus;
let publisher: Publisher;
const faults: unknown[] = [];

beforeEach(async () => {
  [server, store] = await Promise.all([storageDatabase(), testBlobStore()]);
  kafka = testKafka();
  bus = createMessageBus({ ...addresses(), clientId: 'test', source: 'indelible/test', logger });
  await bus.provision();
  publisher = bus.createPublisher({ contracts: [...events, StoreUploadedContent, RequestStamp] });
  await publisher.start();
}, 120_000);
afterEach(async () => {
  expect(faults).toEqual([]);
  await publisher.stop();
  await kafka.dispose();
  await server.drop();
  await store.remove();
}, 60_000);

const addresses = () => ({
  brokers: kafka.brokers,
  schemaRegistryUrl: kafka.schemaRegistryUrl,
  topicPrefix: kafka.prefix,
});
const createService = () => {
  const { brokers, ...rest } = addresses();
  return createStorageService(
    {
      ...rest,
      databaseUrl: server.url,
      kafkaBrokers: brokers,
      redisUrl: testRedis().url,
      // Nothing here needs it.
      stampingUrl: 'http://127.0.0.1:9',
      blobStore: { kind: 'local', directory: store.directory },
      sweepAfterMs: 60_000,
      sweepIntervalMs: 50,
      internalHost: '127.0.0.1',
      internalPort: 0,
      leaveMs: 0,
      kafkaSessionTimeoutMs: 10_000,
      logLevel: 'silent',
    },
    logger,
    (error) => faults.push(error),
  );
};
/** Content that was staged long before its deadline. */
async function stagedLongAgo(content: string): Promise<StagedContent> {
  const staged = await stage(store, content);
  const past = new Date(Date.now() - 3 * 86_400_000);
  await utimes(join(store.directory, 'staging', staged.stagedId.slice(-2), staged.stagedId), past, past);
  return staged;
}
const now = () => new Date().toISOString();
const isSwept = async (content: StagedContent) => !(await isStaged(store, content));
/** Waits for this many sweep rounds: each ends with deleting old uploads. */
async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) {
    const id = randomUUID();
    await server.pool.query(
      `insert into storage.uploads (request_id, outcome, staged_id, stamp_ids, receipts, decided_at)
       values ($1, 'created', $1, '{}', '[]', now() - interval '40 days')`,
      [id],
    );
    await eventually(async () => {
      const { rows } = await server.pool.query('select from storage.uploads where request_id = $1', [id]);
      expect(rows).toEqual([]);
    });
  }
}
const stored = async (stampId: string) => {
  const { rows } = await server.pool.query('select status from storage.files where stamp_id = $1', [stampId]);
  return rows;
};

it('sweeps nothing that a message names which storage has not read yet, however old it is (I7)', async () => {
  const [named, nobodys] = [await stagedLongAgo('named'), await stagedLongAgo('nobodys')];
  const stampId = randomUUID();
  const { data, id } = requested(stampId, named) as Extract<ReturnType<typeof requested>, { type: 'StampRequested' }>;
  await publisher.publish([outgoing(StampRequested, data, { id, time: now() })]);
  const service = createService();
  await startAll(service);
  try {
    // The sweep ran after everything had arrived.
    await eventually(async () => expect(await isSwept(nobodys)).toBe(true), { timeoutMs: 60_000 });
    expect(await isSwept(named)).toBe(false);
    const confirmation = confirmed(stampId, receiptOf('named'), named) as Extract<
      ReturnType<typeof confirmed>,
      { type: 'StampConfirmed' }
    >;
    const data = { ...confirmation.data, batchId: randomUUID() };
    await publisher.publish([outgoing(StampConfirmed, data, { id: confirmation.id, time: now() })]);
    await eventually(async () => expect(await stored(stampId)).toEqual([{ status: 'success' }]), { timeoutMs: 30_000 });
  } finally {
    await stopAll(service);
  }
}, 180_000);

it('sweeps nothing while a command waits for stamping, and continues when it is handled (I7)', async () => {
  const [named, nobodys] = [await stagedLongAgo('named'), await stagedLongAgo('nobodys')];
  const stampId = randomUUID();
  const { data: event, id } = requested(stampId, named) as Extract<
    ReturnType<typeof requested>,
    { type: 'StampRequested' }
  >;
  const { account, setCid, objectCid, content, requestedAt } = event;
  const command = {
    ...{ requestId: stampId, account, objectCid, content, requestedAt, replyTo: null },
    set: { kind: 'none' as const },
    setCidHint: setCid,
    idempotency: null,
    awaits: 'outcome' as const,
    clientRef: null,
  };
  await publisher.publish([outgoing(RequestStamp, command, { id: randomUUID(), time: now() })]);
  const service = createService();
  await startAll(service);
  const stamping = bus.createConsumer({
    groupId: commandGroups['commands.stamps'],
    contracts: [RequestStamp],
    handle: () => publisher.publish([outgoing(StampRequested, event, { id, time: now() })]),
  });
  try {
    await rounds(20);
    expect([await isSwept(named), await isSwept(nobodys)]).toEqual([false, false]);
    await stamping.start();
    await eventually(async () => expect(await isSwept(nobodys)).toBe(true), { timeoutMs: 60_000 });
    expect(await isSwept(named)).toBe(false);
  } finally {
    await stamping.stop();
    await stopAll(service);
  }
}, 180_000);
