import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  type Consumer,
  createMessageBus,
  type IncomingMessage,
  type OutgoingMessage,
  outgoing,
  type Publisher,
} from '@indelible/kafka';
import {
  FileStored,
  KeepNonConfirmedContent,
  RequestStamp,
  type StagedContent,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV2,
  StoreUploadedContent,
} from '@indelible/messages';
import { closeRedis, createRedis, type Redis } from '@indelible/redis';
import { createReplyReceiver, type ReplyReceiver } from '@indelible/replies';
import { type Component, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase, type TestKafka, testKafka, testRedis } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RefusalMessage, StampMessage } from '../../src/decisions/follow-stamp.ts';
import { createStorageService } from '../../src/service.ts';
import { contentAt, isStaged, stage, type TestBlobStore, testBlobStore } from '../support/content.ts';
import { logger, storageDatabase } from '../support/database.ts';
import { confirmed, failed, folder, joined, receiptOf, refused, requested, reverted } from '../support/stamps.ts';
import { upload } from '../support/uploads.ts';

const contracts = [
  StampRequested,
  StampRequestJoined,
  StampConfirmedV2,
  StampConfirmed,
  StampRevertedV2,
  StampReverted,
  StampFailedV1,
  StampFailed,
  StampRequestRefused,
  StoreUploadedContent,
  KeepNonConfirmedContent,
];
const instanceId = 'gateway-1';
const faults: unknown[] = [];
const published: IncomingMessage[] = [];
let server: TestDatabase;
let kafka: TestKafka;
let store: TestBlobStore;
let redis: Redis;
let receiver: ReplyReceiver;
let publisher: Publisher;
let listener: Consumer;
let service: readonly Component[] = [];
let url: string;

beforeAll(async () => {
  [server, store] = await Promise.all([storageDatabase(), testBlobStore()]);
  kafka = testKafka();
  redis = createRedis(testRedis().url, { name: 'test', logger });
  receiver = createReplyReceiver({ redis, instanceId, keyPrefix: kafka.prefix, logger });
  await receiver.start();
  await eventually(() => expect(receiver.connected()).toBe(true));
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision({ contracts: [...contracts, FileStored, RequestStamp] });
  publisher = bus.createPublisher({ contracts });
  listener = bus.createConsumer({
    groupId: 'listener',
    contracts: [FileStored],
    handle: async (batch) => void published.push(...batch),
  });
  const internalPort = await freePort();
  url = `http://127.0.0.1:${internalPort}`;
  service = createStorageService(
    {
      databaseUrl: server.url,
      kafkaBrokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      redisUrl: testRedis().url,
      topicPrefix: kafka.prefix,
      blobStore: { kind: 'local', directory: store.directory },
      sweepAfterMs: 60_000,
      sweepIntervalMs: 100,
      internalHost: '127.0.0.1',
      internalPort,
      leaveMs: 0,
      kafkaSessionTimeoutMs: 10_000,
      logLevel: 'silent',
    },
    logger,
    (error) => faults.push(error),
  );
  await Promise.all([publisher.start(), listener.start(), startAll(service)]);
}, 120_000);

afterAll(async () => {
  await stopAll(service);
  await Promise.all([listener.stop(), publisher.stop(), receiver.stop()]);
  await closeRedis(redis);
  await kafka.dispose();
  await server.drop();
  await store.remove();
}, 60_000);

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const refusal = { code: 'refused', message: 'Refused.' };
const at = '2026-11-21T03:05:00.000Z';
const nothing = { requestId: null, collectionName: null, clientRef: null };
/** What storage reads nothing of. */
const revertedFacts = { formerReceipt: receiptOf('meow'), batchId: randomUUID(), revertedAt: at, ...nothing };
const { account, setCid, objectCid } = receiptOf('meow');
const failedFacts = { account, setCid, objectCid, refusal, failedAt: at, ...nothing };

/** As a former release published it, with the HTTP request's id beside its data. */
function formerOf(message: StampMessage): OutgoingMessage {
  const envelope = { id: message.id, time: at };
  const { stampId } = message.data;
  switch (message.type) {
    case 'StampConfirmed': {
      const { requestId, clientRef: _, ...data } = message.data;
      return outgoing(StampConfirmedV2, data, { ...envelope, ...(requestId === null ? {} : { requestId }) });
    }
    case 'StampReverted':
      return outgoing(StampRevertedV2, { stampId, formerReceipt: receiptOf('meow') }, envelope);
    case 'StampFailed':
      return outgoing(StampFailedV1, { stampId, refusal }, envelope);
    default:
      return outgoingOf(message);
  }
}

function outgoingOf(message: StampMessage | RefusalMessage): OutgoingMessage {
  const envelope = { id: message.id, time: new Date().toISOString() };
  switch (message.type) {
    case 'StampRequested':
      return outgoing(StampRequested, message.data, envelope);
    case 'StampRequestJoined':
      return outgoing(StampRequestJoined, message.data, envelope);
    case 'StampConfirmed':
      return outgoing(StampConfirmed, { ...message.data, batchId: randomUUID() }, envelope);
    case 'StampReverted':
      return outgoing(StampReverted, { ...message.data, ...revertedFacts }, envelope);
    case 'StampFailed':
      return outgoing(StampFailed, { ...message.data, ...failedFacts }, envelope);
    case 'StampRequestRefused':
      return outgoing(StampRequestRefused, message.data, envelope);
  }
}
const publish = (...messages: (StampMessage | RefusalMessage)[]) => publisher.publish(messages.map(outgoingOf));

describe('the storage service', () => {
  it('stores content through Kafka, answers the gateway and publishes FileStored once (I5, I7)', async () => {
    const stampId = randomUUID();
    const [content, twice] = [await stage(store, 'meow'), await stage(store, 'meow')];
    const waiter = receiver.wait(stampId);
    const confirmation = confirmed(stampId, receiptOf('meow'), content, { replyTo: instanceId });
    await publish(requested(stampId, content), joined(stampId, twice), confirmation, confirmation);

    const filePath = `${folder}/cat_2026-11-21_03-04-05+0000.jpg`;
    const fileName = 'cat_2026-11-21_03-04-05+0000.jpg';
    const reply = await waiter.next(AbortSignal.timeout(30_000));
    expect(reply).toEqual({ kind: 'stored', requestId: stampId, stampId, fileName, filePath });
    waiter.close();
    expect(await contentAt(store, filePath)).toBe('meow');
    expect(await (await fetch(`${url}/internal/files/${stampId}`)).json()).toMatchObject({
      status: 'success',
      filePath,
    });
    await eventually(async () =>
      expect([await isStaged(store, content), await isStaged(store, twice)]).toEqual([false, false]),
    );

    await publish(reverted(stampId), confirmed(stampId, receiptOf('meow', { blockNumber: 9 }), content));
    const [other, last] = [randomUUID(), await stage(store, 'woof', 'dog.jpg')];
    await publish(requested(other, last), confirmed(other, receiptOf('woof'), last));
    await eventually(
      () => expect(published.map((message) => message.data)).toMatchObject([{ stampId, filePath }, { stampId: other }]),
      { timeoutMs: 30_000 },
    );
    expect(faults).toEqual([]);
  }, 60_000);

  it('takes messages of former versions beside newer ones, as in a rolling update (I5)', async () => {
    const [former, lost, newer] = [randomUUID(), randomUUID(), randomUUID()];
    const requestId = randomUUID();
    const contents = await Promise.all(
      ['old', 'lost', 'new'].map((content) => stage(store, content, `${content}.txt`)),
    );
    const [first, second, third] = contents as [StagedContent, StagedContent, StagedContent];
    const before = [
      requested(former, first),
      confirmed(former, receiptOf('old'), first, { requestId }),
      reverted(former),
      confirmed(former, receiptOf('old', { blockNumber: 8 }), first, { requestId }),
      requested(lost, second),
      failed(lost),
    ];
    await publisher.publish([
      ...before.map((message) => formerOf(message as StampMessage)),
      ...[requested(newer, third), confirmed(newer, receiptOf('new'), third, { requestId, clientRef: 'row 7' })].map(
        outgoingOf,
      ),
    ]);
    await eventually(
      () => {
        const told = published.map(({ data }) => data).filter((data) => 'objectCid' in data);
        expect(told).toContainEqual(
          expect.objectContaining({ stampId: former, requestId, clientRef: null, collectionName: 'Photos' }),
        );
        expect(told).toContainEqual(expect.objectContaining({ stampId: newer, requestId, clientRef: 'row 7' }));
      },
      { timeoutMs: 30_000 },
    );
    await eventually(async () => expect(await isStaged(store, second)).toBe(false));
    expect(faults).toEqual([]);
  }, 60_000);

  it('discards what no stamp will have, and sweeps what nobody ever claimed (I7)', async () => {
    const stampId = randomUUID();
    const [lost, turnedAway, forgotten] = await Promise.all(['a', 'b', 'c'].map((content) => stage(store, content)));
    if (lost === undefined || turnedAway === undefined || forgotten === undefined) throw new Error('not staged');
    const past = new Date('2026-01-01T00:00:00Z');
    const { stagedId } = forgotten;
    await utimes(join(store.directory, 'staging', stagedId.slice(-2), stagedId), past, past);
    await publish(requested(stampId, lost), failed(stampId), refused(turnedAway));
    await eventually(
      async () =>
        expect(await Promise.all([lost, turnedAway, forgotten].map((content) => isStaged(store, content)))).toEqual([
          false,
          false,
          false,
        ]),
      { timeoutMs: 30_000 },
    );
  }, 60_000);

  it('stores uploads through Kafka one after the other, and answers the gateway and whoever asks later', async () => {
    const [content, twice] = [await stage(store, 'purr', 'purr.jpg'), await stage(store, 'purr', 'again.jpg')];
    const messages = [content, twice].map((staged) => upload(staged, [receiptOf('purr')], { replyTo: instanceId }));
    const waiters = messages.map((message) => receiver.wait(message.data.requestId));
    await publisher.publish(
      messages.map(({ id, data }) => outgoing(StoreUploadedContent, data, { id, time: data.requestedAt })),
    );
    const replies = await Promise.all(waiters.map((waiter) => waiter.next(AbortSignal.timeout(30_000))));
    const fileName = 'purr_2026-11-21_03-04-05+0000.jpg';
    const file = { fileName, filePath: `${folder}/${fileName}` };
    expect(replies).toMatchObject([
      { kind: 'uploaded', outcome: 'created', receipt: receiptOf('purr'), ...file },
      { kind: 'uploaded', outcome: 'existing', ...file },
    ]);
    for (const waiter of waiters) waiter.close();
    const asked = await fetch(`${url}/internal/uploads/${messages[0]?.data.requestId}`);
    expect(await asked.json()).toEqual({
      state: 'stored',
      outcome: 'created',
      receipt: receiptOf('purr'),
      ...file,
    });
    expect(faults).toEqual([]);
  }, 60_000);

  it('keeps content of a stamp that cannot be made under non_confirmed/ (specification, States 2)', async () => {
    const content = await stage(store, 'hiss', 'hiss.jpg');
    const requestId = randomUUID();
    const data = {
      requestId,
      account: receiptOf('hiss').account,
      setCid: receiptOf('hiss').setCid,
      objectCid: content.objectCid,
      collectionName: 'Photos',
      content,
      requestedAt: '2026-11-21T03:05:00.000Z',
    };
    await publisher.publish([outgoing(KeepNonConfirmedContent, data, { id: requestId, time: data.requestedAt })]);
    const path = `${folder.replace('stamped', 'non_confirmed')}/hiss_2026-11-21_03-05-00+0000.jpg`;
    await eventually(async () => expect(await contentAt(store, path)).toBe('hiss'));
    await eventually(async () => expect(await isStaged(store, content)).toBe(false));
    await eventually(async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toContain('indelible_storage_non_confirmed_total 1');
    });
    expect(faults).toEqual([]);
  }, 60_000);

  it('is ready, and says how it goes', async () => {
    expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({ status: 'ready', waiting: [] });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('indelible_storage_files_stored_total 5');
  });
});
