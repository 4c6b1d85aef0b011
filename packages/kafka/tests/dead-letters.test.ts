import { randomUUID } from 'node:crypto';
import { StampRequested } from '@indelible/messages';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MessageInvalidError } from '../src/errors.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTestBus, type TestBus, until } from './harness.ts';
import { contracts, failedStamp, plainStamp } from './messages-for-tests.ts';

let topics: TestBus;
let publisher: Publisher;

beforeEach(async () => {
  topics = await createTestBus();
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);

afterEach(() => topics.dispose(), 60_000);

const deadLetters = () => topics.events.filter(({ kind }) => kind === 'dead-letter').length;

describe('dead letters', () => {
  it('take a record that cannot be decoded, and its neighbours are handled', async () => {
    const stampId = randomUUID();
    const [before, after] = [failedStamp(stampId, 'before'), failedStamp(stampId, 'after')];
    await publisher.publish([before]);
    const producer = topics.plain.producer();
    await producer.connect();
    await producer.send({
      topic: `${topics.prefix}events.stamps`,
      messages: [{ key: stampId, value: 'poison', headers: { any: 'thing' } }],
    });
    await producer.disconnect();
    await publisher.publish([after]);
    const handled: string[] = [];
    const consumer = topics.bus.createConsumer({
      groupId: 'g',
      contracts,
      handle: async (batch) => {
        handled.push(...batch.map(({ id }) => id));
      },
    });
    topics.stopLater(consumer);
    await consumer.start();
    await until(() => handled.length === 2 && deadLetters() === 1);
    expect(handled).toEqual([before.id, after.id]);
  }, 60_000);

  it('take a record of columns that would become more than a reader can hold, and its neighbours are handled (I11)', async () => {
    const [before, after] = [plainStamp(), plainStamp()];
    const ofStamps = topics.stopLater(topics.bus.createPublisher({ contracts: [StampRequested] }));
    await ofStamps.start();
    await ofStamps.publish([before]);
    const handled: string[] = [];
    const consumer = topics.stopLater(
      topics.bus.createConsumer({
        groupId: 'g',
        contracts: [StampRequested],
        handle: async (batch) => {
          handled.push(...batch.map(({ id }) => id));
        },
      }),
    );
    await consumer.start();
    await until(() => handled.length === 1);
    const producer = topics.plain.producer();
    await producer.connect();
    const hostile = [
      { messages: 1e9, of: { data: { same: {} } } },
      {
        messages: 500,
        of: { data: { of: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, { same: 0 }])) } },
      },
    ];
    await producer.send({
      topic: `${topics.prefix}events.stamps`,
      messages: hostile.map((body) => ({
        key: StampRequested.key(before.data),
        value: Buffer.concat([Buffer.alloc(5), Buffer.from(JSON.stringify(body))]),
        headers: {
          ...{ ce_specversion: '1.0', ce_id: randomUUID(), ce_time: before.time, ce_source: 'any' },
          ...{ ce_type: 'StampRequested', ce_indelibleversion: String(StampRequested.version) },
          'content-type': 'application/vnd.indelible.columns+json',
        },
      })),
    });
    await producer.disconnect();
    await ofStamps.publish([after]);
    await until(() => handled.length === 2 && deadLetters() === hostile.length);
    expect(handled).toEqual([before.id, after.id]);
  }, 60_000);

  it('are replayed on command: to their own topic, with their own id, once', async () => {
    const stampId = randomUUID();
    const messages = ['a', 'b', 'c', 'd'].map((code) => failedStamp(stampId, code));
    const culprits = new Set([messages[1]!.id, messages[2]!.id]);
    const handled: string[] = [];
    let isMended = false;
    const consumer = topics.bus.createConsumer({
      groupId: 'g',
      contracts,
      handle: async (batch) => {
        if (!isMended && batch.some(({ id }) => culprits.has(id))) throw new MessageInvalidError('no such stamp');
        handled.push(...batch.map(({ id }) => id));
      },
    });
    topics.stopLater(consumer);
    await consumer.start();
    await publisher.publish(messages);
    await until(() => handled.length === 2 && deadLetters() === 2);
    expect(handled).toEqual([messages[0]!.id, messages[3]!.id]);

    isMended = true;
    expect(await topics.bus.replayDeadLetters({ topic: 'events.stamps', limit: 1 })).toBe(1);
    await until(() => handled.length === 3);
    expect(await topics.bus.replayDeadLetters({ topic: 'events.stamps' })).toBe(1);
    await until(() => handled.length === 4);
    expect(handled.slice(2)).toEqual([messages[1]!.id, messages[2]!.id]);
    expect(await topics.bus.replayDeadLetters({ topic: 'events.stamps' })).toBe(0);
  }, 60_000);
});
