import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Consumer,
  createMessageBus,
  type IncomingMessage,
  type MessageBus,
  type OutgoingMessage,
  outgoing,
  type Publisher,
} from '@indelible/kafka';
import {
  FileStored,
  KeepNonConfirmedContent,
  type Receipt,
  type Reply,
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
import {
  closeRedis,
  createRedis,
  createReplyReceiver,
  type Redis,
  type ReplyReceiver,
  type ReplyWaiter,
} from '@indelible/redis';
import { type Component, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, internalUrlOf, type TestDatabase, type TestKafka, testKafka, testRedis } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RefusalMessage, StampMessage } from '../../src/decisions/follow-stamp.ts';
import { createStorageService } from '../../src/service.ts';
import { contentAt, isStaged, stage, type TestBlobStore, testBlobStore } from '../support/content.ts';
import { logger, storageDatabase } from '../support/database.ts';
import { stampOf, testStamping } from '../support/stamping.ts';
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
let bus: MessageBus;
let publisher: Publisher;
let listener: Consumer;
let service: readonly Component[] = [];
let url: string;
const stamping = testStamping();
let stampingServer: Awaited<ReturnType<typeof stamping.listen>>;

beforeAll(async () => {
  [server, store] = await Promise.all([storageDatabase(), testBlobStore()]);
  kafka = testKafka();
  redis = createRedis(testRedis().url, { name: 'test', logger });
  receiver = createReplyReceiver({ redis, instanceId, keyPrefix: kafka.prefix, logger });
  await receiver.start();
  await eventually(() => expect(receiver.connected()).toBe(true));
  bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision();
  publisher = bus.createPublisher({ contracts });
  listener = bus.createConsumer({
    groupId: 'listener',
    contracts: [FileStored],
    handle: async (batch) => void published.push(...batch),
  });
  stampingServer = await stamping.listen();
  service = createStorageService(
    {
      databaseUrl: server.url,
      kafkaBrokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      redisUrl: testRedis().url,
      stampingUrl: stampingServer.url,
      topicPrefix: kafka.prefix,
      blobStore: { kind: 'local', directory: store.directory },
      sweepAfterMs: 60_000,
      sweepIntervalMs: 100,
      internalHost: '127.0.0.1',
      internalPort: 0,
      leaveMs: 0,
      kafkaSessionTimeoutMs: 10_000,
      logLevel: 'silent',
    },
    logger,
    (error) => faults.push(error),
  );
  await Promise.all([publisher.start(), listener.start(), startAll(service)]);
  url = internalUrlOf(service);
}, 120_000);

afterAll(async () => {
  await stopAll(service);
  await stampingServer.close();
  await Promise.all([listener.stop(), publisher.stop(), receiver.stop()]);
  await closeRedis(redis);
  await kafka.dispose();
  await server.drop();
  await store.remove();
}, 60_000);

const refusal = { code: 'refused', message: 'Refused.' };
const at = '2026-11-21T03:05:00.000Z';
const nothing = { requestId: null, collectionName: null, clientRef: null };
/** What storage reads nothing of. */
const revertedFacts = { formerReceipt: receiptOf('meow'), batchId: randomUUID(), revertedAt: at, ...nothing };
const { account, setCid, objectCid } = receiptOf('meow');
const failedFacts = { account, setCid, objectCid, refusal, failedAt: at, ...nothing };

/** As published by an older release, with the HTTP request's id beside its data. */
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
/** Resolves with the first reply. */
const replyTo = (waiter: ReplyWaiter): Promise<Reply> => new Promise((resolve) => waiter.listen(resolve));

describe('the storage service', () => {
  it('stores content through Kafka, answers the gateway and publishes FileStored once (I5, I7)', async () => {
    const stampId = randomUUID();
    const [content, twice] = [await stage(store, 'meow'), await stage(store, 'meow')];
    const waiter = receiver.wait(stampId);
    const confirmation = confirmed(stampId, receiptOf('meow'), content, { replyTo: instanceId });
    await publish(requested(stampId, content), joined(stampId, twice), confirmation, confirmation);

    const filePath = `${folder}/cat_2026-11-21_03-04-05+0000.jpg`;
    const fileName = 'cat_2026-11-21_03-04-05+0000.jpg';
    const reply = await replyTo(waiter);
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

  it('discards content of no stamp, and sweeps unclaimed content (I7)', async () => {
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

  it('stores uploads through Kafka one after the other, and answers the gateway and later queries', async () => {
    const [content, twice] = [await stage(store, 'purr', 'purr.jpg'), await stage(store, 'purr', 'again.jpg')];
    const messages = [content, twice].map((staged) => upload(staged, [receiptOf('purr')], { replyTo: instanceId }));
    const waiters = messages.map((message) => receiver.wait(message.data.requestId));
    await publisher.publish(
      messages.map(({ id, data }) => outgoing(StoreUploadedContent, data, { id, time: data.requestedAt })),
    );
    const replies = await Promise.all(waiters.map(replyTo));
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

  const rowsOf = async (stampId: string, messageId: string) => {
    const { rows } = await server.pool.query(
      `select (select count(*)::int from storage.stamps where stamp_id = $1) as stamps,
         (select count(*)::int from storage.inbox where message_id = $2) as inbox`,
      [stampId, messageId],
    );
    return rows[0];
  };
  /** Has the same key, so that everything published before it is handled first. */
  const fence = async (stampId: string): Promise<void> => {
    const [after, content] = [`${randomUUID().slice(0, -2)}${stampId.slice(-2)}`, await stage(store, stampId)];
    await publish(requested(after, content), confirmed(after, receiptOf(stampId), content));
    await eventually(
      () => expect(published.map(({ data }) => data)).toContainEqual(expect.objectContaining({ stampId: after })),
      {
        timeoutMs: 30_000,
      },
    );
  };

  it('skips stamps without content: they leave no record, and no row of the inbox', async () => {
    const stampId = randomUUID();
    const confirmation = confirmed(stampId, receiptOf('none'), null);
    await publish(requested(stampId, null), confirmation);
    await fence(stampId);
    expect(await rowsOf(stampId, confirmation.id)).toEqual({ stamps: 0, inbox: 0 });
    expect(faults).toEqual([]);
  }, 60_000);

  it('handles records of releases before labels, whatever is in them, as those did', async () => {
    const stampId = randomUUID();
    const confirmation = confirmed(stampId, receiptOf('former'), null);
    const before = createMessageBus({
      brokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      clientId: 'test',
      source: 'indelible/test',
      topicPrefix: kafka.prefix,
      logger,
    }).createPublisher({ contracts: [StampConfirmed] });
    await before.start();
    await before.publish([{ ...outgoingOf(confirmation), contract: { ...StampConfirmed, label: () => undefined } }]);
    await before.stop();
    await fence(stampId);
    expect(await rowsOf(stampId, confirmation.id)).toEqual({ stamps: 1, inbox: 1 });
  }, 60_000);

  it('stores what is uploaded for such a stamp as its file, and waits for stamping where it is unavailable (I6)', async () => {
    const stampId = randomUUID();
    const receipt = receiptOf('later');
    stamping.know(receipt, stampOf(stampId));
    await publish(requested(stampId, null), confirmed(stampId, receipt, null));
    stampingServer.away(true);
    const content = await stage(store, 'later', 'later.jpg');
    const message = upload(content, [receipt], { replyTo: instanceId });
    const { id, data } = message;
    const waiter = receiver.wait(data.requestId);
    const asked = stampingServer.queries.length;
    await publisher.publish([outgoing(StoreUploadedContent, data, { id, time: data.requestedAt })]);
    await eventually(
      () =>
        expect(
          stampingServer.queries.slice(asked).filter((query) => query.endsWith('of-receipts')).length,
        ).toBeGreaterThan(1),
      {
        timeoutMs: 30_000,
      },
    );
    expect((await fetch(`${url}/internal/uploads/${data.requestId}`)).status).toBe(404);
    stampingServer.away(false);
    const reply = await replyTo(waiter);
    waiter.close();
    expect(reply).toMatchObject({ kind: 'uploaded', outcome: 'created', stampId, receipt });
    await eventually(() =>
      expect(published.map(({ data }) => data)).toContainEqual(expect.objectContaining({ stampId, came: 'later' })),
    );
    expect(faults).toEqual([]);
  }, 60_000);

  it('stores what a joining request brings for such a stamp, confirmed before it or after it', async () => {
    const [before, after] = [randomUUID(), randomUUID()];
    const facts = { collectionName: 'Photos', requestId: null, clientRef: null };
    stamping.confirm({ stampId: before, receipt: receiptOf('before'), ...facts });
    const contents = await Promise.all(['before', 'after'].map((text) => stage(store, text, `${text}.jpg`)));
    await publish(...[before, after].map((stampId, i) => joined(stampId, contents[i] ?? null)));
    const stored = () => published.flatMap(({ data }) => ('stampId' in data ? [data.stampId] : []));
    await eventually(() => expect(stored()).toContain(before), { timeoutMs: 30_000 });
    expect(stored()).not.toContain(after);
    stamping.confirm({ stampId: after, receipt: receiptOf('after'), ...facts });
    await eventually(() => expect(stored()).toContain(after), { timeoutMs: 30_000 });
    expect(faults).toEqual([]);
  }, 60_000);

  it('keeps content of a stamp that cannot be made under non_confirmed/ (docs/interface.md, Stored files)', async () => {
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
    await eventually(async () => {
      expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({ status: 'ready', waiting: [] });
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('indelible_storage_files_stored_total 10');
    });
  });

  it('sets an upload aside whose query always meets a defect of stamping, and stores the others meanwhile (I12)', async () => {
    const broken = receiptOf('broken', { logIndex: 1 });
    stampingServer.breakAt(broken);
    const publishUpload = async (text: string, receipt: Receipt) => {
      const { id, data } = upload(await stage(store, text, `${text}.jpg`), [receipt], { replyTo: instanceId });
      const waiter = receiver.wait(data.requestId);
      await publisher.publish([outgoing(StoreUploadedContent, data, { id, time: data.requestedAt })]);
      return { id, waiter };
    };
    const { id, waiter: waitsInVain } = await publishUpload('broken', broken);
    waitsInVain.close();
    for (let n = 0; (await bus.deadLetters.list('commands.files', 10)).length === 0; n += 1) {
      const text = `beside${n}`;
      stamping.know(receiptOf(text), stampOf(randomUUID()));
      const { waiter } = await publishUpload(text, receiptOf(text));
      expect(await replyTo(waiter)).toMatchObject({ kind: 'uploaded', outcome: 'created' });
      waiter.close();
    }
    expect(await bus.deadLetters.list('commands.files', 10)).toMatchObject([
      { group: 'storage-uploads', envelope: { ce_id: id } },
    ]);
    expect(faults).toEqual([]);
  }, 120_000);
});
