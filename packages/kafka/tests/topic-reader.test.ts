import { randomUUID } from 'node:crypto';
import { PlainRequestJoined } from '@indelible/messages';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TopicCutError } from '../src/errors.ts';
import { type OutgoingMessage, outgoing } from '../src/message.ts';
import type { Publisher } from '../src/publisher.ts';
import { readTopicOffsets } from '../src/topic-offsets.ts';
import { createTestBus, silentLogger, type TestBus } from './harness.ts';
import { contracts, failedStamp } from './messages-for-tests.ts';

let topics: TestBus;
let publisher: Publisher;
/** The records of the topic are gone; its offsets go on. */
const deleteRecords = async (topic: string): Promise<void> => {
  const connection = { brokers: topics.brokers, clientId: 'kafka-tests', logger: silentLogger };
  const full = (await readTopicOffsets(connection, [topic])).filter(({ low, high }) => low !== high);
  const partitions = full.map(({ partition, high }) => ({ partition, offset: String(high) }));
  expect(partitions).toHaveLength(1);
  const admin = topics.plain.admin();
  await admin.connect();
  // It must know the topic's leaders before it deletes, and asks for them here.
  await admin.fetchTopicOffsets(topic);
  await admin.deleteTopicRecords({ topic, partitions });
  await admin.disconnect();
};
const never = new AbortController().signal;

beforeEach(async () => {
  topics = await createTestBus();
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);
afterEach(() => topics.dispose(), 60_000);

describe('a reader of whole topics', () => {
  it('has handled all that was there when it started, each partition in order, and goes on behind it (I8)', async () => {
    const stamps = [randomUUID(), randomUUID(), randomUUID()];
    const messages = stamps.flatMap((stamp) => ['a', 'b', 'c'].map((code) => failedStamp(stamp, code)));
    await publisher.publish(messages);
    const handled: string[] = [];
    const reader = topics.bus.createTopicReader({
      name: 'anew',
      contracts,
      concurrency: 4,
      maxBatchMessages: 2,
      handle: async (batch) => void handled.push(...batch.map(({ id }) => id)),
    });
    topics.stopLater(reader);
    await reader.start();
    await reader.catchUp(never);
    expect([...handled].sort()).toEqual(messages.map(({ id }) => id).sort());
    for (const stamp of stamps) {
      const own = messages.filter(({ data }) => data.stampId === stamp).map(({ id }) => id);
      expect(handled.filter((id) => own.includes(id))).toEqual(own);
    }
    const later = failedStamp(stamps[0] as string, 'd');
    await publisher.publish([later]);
    await reader.catchUp(never);
    expect(handled.at(-1)).toBe(later.id);
    expect(reader.progress()).toEqual({ handled: 10, left: 0, leftOut: 0 });
  }, 60_000);

  it('leaves out what cannot be read, counts it, and makes no dead letter of it', async () => {
    const producer = topics.plain.producer();
    await producer.connect();
    await producer.send({
      topic: `${topics.prefix}events.stamps`,
      messages: [{ key: 'k', value: 'poison', headers: { any: 'thing' } }],
    });
    await producer.disconnect();
    const reader = topics.stopLater(topics.bus.createTopicReader({ name: 'anew', contracts, handle: async () => {} }));
    await reader.start();
    await reader.catchUp(never);
    expect(reader.progress()).toMatchObject({ leftOut: 1, left: 0 });
    expect(topics.events).not.toContainEqual(expect.objectContaining({ kind: 'dead-letter' }));
  }, 60_000);

  it('refuses a topic whose first messages are gone, and leaves no group behind', async () => {
    const admin = topics.plain.admin();
    await admin.connect();
    const groups = async () =>
      (await admin.listGroups()).groups.filter(({ groupId }) => groupId.startsWith(`${topics.prefix}anew`));
    const reading = topics.bus.createTopicReader({ name: 'anew', contracts, handle: async () => {} });
    await reading.start();
    expect(await groups()).toHaveLength(1);
    await reading.stop();
    expect(await groups()).toEqual([]);

    await publisher.publish([failedStamp(randomUUID(), 'a')]);
    await admin.disconnect();
    await deleteRecords(`${topics.prefix}events.stamps`);
    const cut = topics.stopLater(topics.bus.createTopicReader({ name: 'anew', contracts, handle: async () => {} }));
    await expect(cut.start()).rejects.toThrow(TopicCutError);
  }, 60_000);

  it('begins where a topic that keeps its messages for a time begins now (I8)', async () => {
    const joined = (): OutgoingMessage =>
      outgoing(
        PlainRequestJoined,
        { requestId: randomUUID(), stampId: '00000000-0000-4000-8000-000000000000', account: `0x${'aa'.repeat(20)}` },
        { id: randomUUID(), time: new Date().toISOString() },
      );
    const passing = topics.stopLater(topics.bus.createPublisher({ contracts: [PlainRequestJoined] }));
    await passing.start();
    await passing.publish([joined()]);
    await deleteRecords(`${topics.prefix}events.requests`);
    const handled: string[] = [];
    const read = async () => {
      const reader = topics.bus.createTopicReader({
        name: 'anew',
        contracts: [PlainRequestJoined],
        handle: async (batch) => void handled.push(...batch.map(({ id }) => id)),
      });
      await reader.start();
      await reader.catchUp(never);
      await reader.stop();
      return reader.progress();
    };
    expect([await read(), handled]).toEqual([{ handled: 0, left: 0, leftOut: 0 }, []]);
    const later = joined();
    await passing.publish([later]);
    expect([await read(), handled]).toEqual([{ handled: 1, left: 0, leftOut: 0 }, [later.id]]);
  }, 60_000);

  it('ends waiting with the reason of the abort', async () => {
    await publisher.publish([failedStamp(randomUUID(), 'a')]);
    const handling = Promise.withResolvers<void>();
    const reader = topics.bus.createTopicReader({ name: 'anew', contracts, handle: () => handling.promise });
    await reader.start();
    const given = new AbortController();
    const waiting = reader.catchUp(given.signal);
    given.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    handling.resolve();
    await reader.stop();
  }, 60_000);
});
