import { randomUUID } from 'node:crypto';
import { topics as allTopics, CreateCollection, StampFailedV1, StampRequestJoined } from '@indelible/messages';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrokerUnavailableError, MessageInvalidError, RecordsRefusedError } from '../src/errors.ts';
import { type IncomingMessage, isMessage, outgoing } from '../src/message.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTestBus, type TestBus, until } from './harness.ts';
import { contracts, failedStamp, newCollection } from './messages-for-tests.ts';

let topics: TestBus;
let publisher: Publisher;

beforeAll(async () => {
  topics = await createTestBus();
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);

afterAll(() => topics.dispose(), 60_000);

/** A group of its own that remembers what it is given, from the beginning of the topics. */
const listen = async (of: readonly (typeof contracts)[number][] = contracts): Promise<IncomingMessage[]> => {
  const received: IncomingMessage[] = [];
  const consumer = topics.bus.createConsumer({
    groupId: randomUUID(),
    contracts: of,
    handle: async (batch) => {
      received.push(...batch);
    },
  });
  topics.stopLater(consumer);
  await consumer.start();
  return received;
};

describe('provisioning', () => {
  it('creates each topic and its dead-letter topic, with events kept for ever (I8), and may be repeated', async () => {
    const { bus, plain, prefix } = topics;
    await bus.provision();
    const admin = plain.admin();
    await admin.connect();
    const names = (await admin.listTopics()).filter((name) => name.startsWith(prefix));
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [`${prefix}events.stamps`] });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: `${prefix}events.stamps`, configNames: ['retention.ms'] }],
    });
    await admin.disconnect();
    const wanted = Object.keys(allTopics).flatMap((topic) => [`${prefix}${topic}`, `${prefix}${topic}.dead-letter`]);
    expect(new Set(names)).toEqual(new Set(wanted));
    expect(found[0]?.partitions).toHaveLength(8);
    expect(resources[0]?.configEntries[0]).toMatchObject({ configName: 'retention.ms', configValue: '-1' });
  }, 30_000);
});

describe('publishing and consuming', () => {
  it('carries a message with its CloudEvents attributes, typed by its contract', async () => {
    const received = await listen();
    const stampId = randomUUID();
    const message = { ...failedStamp(stampId, 'a'), requestId: 'r-1', traceparent: '00-11-22-01' };
    await publisher.publish([message]);
    await until(() => received.some(({ id }) => id === message.id));
    const [arrived] = received.filter(({ id }) => id === message.id);
    expect(arrived).toMatchObject({
      type: 'StampFailed',
      version: 1,
      source: 'indelible/tests',
      time: message.time,
      requestId: 'r-1',
      traceparent: '00-11-22-01',
      key: StampFailedV1.key(message.data),
      topic: 'events.stamps',
    });
    expect(isMessage(arrived!, StampFailedV1) && arrived!.data).toEqual(message.data);
    expect(isMessage(arrived!, StampRequestJoined)).toBe(false);
  }, 30_000);

  it('keeps the order of each key over many concurrent calls', async () => {
    const received = await listen();
    const stampIds = Array.from({ length: 20 }, () => randomUUID());
    const calls: Promise<void>[] = [];
    for (let n = 0; n < 50; n += 1) {
      for (const stampId of stampIds) calls.push(publisher.publish([failedStamp(stampId, String(n))]));
    }
    await Promise.all(calls);
    const codesOf = (stampId: string) =>
      received.flatMap((message) =>
        isMessage(message, StampFailedV1) && message.data.stampId === stampId ? [message.data.refusal.code] : [],
      );
    await until(() => stampIds.every((stampId) => codesOf(stampId).length >= 50));
    const inOrder = Array.from({ length: 50 }, (_, n) => String(n));
    expect(stampIds.map(codesOf)).toEqual(stampIds.map(() => inOrder));
  }, 30_000);

  it('skips the types a consumer does not handle', async () => {
    const received = await listen([StampRequestJoined]);
    const stampId = randomUUID();
    const joined = outgoing(
      StampRequestJoined,
      { requestId: randomUUID(), stampId, account: `0x${'1'.repeat(40)}`, content: null },
      { id: randomUUID(), time: new Date().toISOString(), key: stampId },
    );
    await publisher.publish([failedStamp(stampId, 'before'), joined]);
    await until(() => received.some(({ id }) => id === joined.id));
    expect(new Set(received.map(({ type }) => type))).toEqual(new Set(['StampRequestJoined']));
  }, 30_000);

  it('refuses data that does not fit its contract for good, and publishes nothing of the call', async () => {
    const received = await listen();
    const good = failedStamp(randomUUID(), 'not alone');
    const bad = failedStamp('not a uuid', 'bad');
    await expect(publisher.publish([good, bad])).rejects.toBeInstanceOf(MessageInvalidError);
    const last = failedStamp(good.data.stampId, 'last');
    await publisher.publish([last]);
    await until(() => received.some(({ id }) => id === last.id));
    expect(received.some(({ id }) => id === good.id)).toBe(false);
  }, 30_000);

  it('reports a refusal of the broker only to the refused call, and publishes the others of the request', async () => {
    const received = await listen();
    const admin = topics.plain.admin();
    await admin.connect();
    const configEntries = [{ name: 'max.message.bytes', value: '1' }];
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: `${topics.prefix}commands.collections`, configEntries }],
    });
    await admin.disconnect();
    const together = topics.stopLater(topics.bus.createPublisher({ contracts: [CreateCollection, ...contracts] }));
    await together.start();
    const written = failedStamp(randomUUID(), 'written');
    const refused = expect(together.publish([newCollection('refused')])).rejects.toBeInstanceOf(RecordsRefusedError);
    await together.publish([written]);
    await refused;
    await until(() => received.some(({ id }) => id === written.id));
  }, 30_000);

  it('counts what it published and handed over', async () => {
    const received = await listen();
    const { events } = topics;
    events.length = 0;
    const message = failedStamp(randomUUID(), 'counted');
    await publisher.publish([message]);
    await until(() => received.some(({ id }) => id === message.id));
    expect(events).toContainEqual({ kind: 'published', topic: 'events.stamps', count: 1 });
    await until(() => events.some(({ kind }) => kind === 'consumed'));
  }, 30_000);

  it('does not publish before it is started or after it is stopped', async () => {
    const other = topics.bus.createPublisher({ contracts });
    await expect(other.publish([failedStamp(randomUUID(), 'early')])).rejects.toBeInstanceOf(BrokerUnavailableError);
    await other.start();
    expect(other.ready()).toBe(true);
    await other.stop();
    expect(other.ready()).toBe(false);
    await expect(other.publish([failedStamp(randomUUID(), 'late')])).rejects.toBeInstanceOf(BrokerUnavailableError);
  }, 30_000);
});
