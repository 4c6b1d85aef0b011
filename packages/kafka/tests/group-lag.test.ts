import { randomUUID } from 'node:crypto';
import { StampRequested } from '@indelible/messages';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGroupLag } from '../src/group-lag.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTopicNames } from '../src/topic-names.ts';
import { createTestBus, silentLogger, type TestBus, until } from './harness.ts';
import { contracts as common, failedStamp, plainStamp } from './messages-for-tests.ts';

const contracts = [...common, StampRequested];

let topics: TestBus;
let publisher: Publisher;

beforeEach(async () => {
  topics = await createTestBus();
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);

afterEach(() => topics.dispose(), 60_000);

const publishSome = (count: number): Promise<void> =>
  publisher.publish(Array.from({ length: count }, () => failedStamp(randomUUID(), 'a')));

describe('the lag of a group, seen from outside', () => {
  it('counts what no member has handled, also while there is none, and goes back as they handle it', async () => {
    const lag = topics.stopLater(topics.bus.createGroupLag({ groups: { 'events.stamps': 'workers' }, intervalMs: 20 }));
    await publishSome(30);
    await lag.start();
    await until(() => lag.of('events.stamps') === 30);

    const consumer = topics.bus.createConsumer({ groupId: 'workers', contracts, handle: async () => undefined });
    await consumer.start();
    await until(() => lag.of('events.stamps') === 0);
    await consumer.stop();
    await publishSome(7);
    await until(() => lag.of('events.stamps') === 7);
    expect(lag.of('events.chain')).toBeUndefined();
  }, 60_000);

  it('goes back as well behind records whose label is skipped, of which nothing is handed over', async () => {
    const lag = topics.stopLater(
      topics.bus.createGroupLag({ groups: { 'events.stamps': 'skipping' }, intervalMs: 20 }),
    );
    const plain = Array.from({ length: 30 }, plainStamp);
    const failed = failedStamp(randomUUID(), 'a');
    await publisher.publish([...plain, failed]);
    await lag.start();
    await until(() => (lag.of('events.stamps') ?? 0) > 1);
    const handled: string[] = [];
    const consumer = topics.bus.createConsumer({
      ...{ groupId: 'skipping', contracts, skips: ['no-content'] },
      handle: async (batch) => void handled.push(...batch.map(({ id }) => id)),
    });
    topics.stopLater(consumer);
    await consumer.start();
    await until(() => lag.of('events.stamps') === 0);
    expect(handled).toEqual([failed.id]);
  }, 60_000);

  it('says until when everything was handled, also while newer messages wait', async () => {
    const lag = topics.stopLater(topics.bus.createGroupLag({ groups: { 'events.stamps': 'workers' }, intervalMs: 20 }));
    await publishSome(3);
    await lag.start();
    await until(() => lag.of('events.stamps') === 3);
    expect(lag.handledUntil('events.stamps')).toBeUndefined();

    const [published, handledSome] = [Date.now(), Promise.withResolvers<void>()];
    let isHeld = false;
    const consumer = topics.bus.createConsumer({
      groupId: 'workers',
      contracts,
      handle: async () => (isHeld ? handledSome.promise : undefined),
    });
    await consumer.start();
    await until(() => (lag.handledUntil('events.stamps') ?? 0) > published);
    isHeld = true;
    const published2 = Date.now();
    await publishSome(1);
    await until(() => lag.of('events.stamps') === 1);
    const beforeThat = lag.handledUntil('events.stamps') as number;
    expect(beforeThat).toBeLessThanOrEqual(Date.now());
    handledSome.resolve();
    await until(() => (lag.handledUntil('events.stamps') ?? 0) > published2);
    await consumer.stop();
  }, 60_000);

  it('is not known while the brokers are away, and neither starting nor stopping waits for them', async () => {
    const lag = createGroupLag(
      {
        connection: { brokers: ['127.0.0.1:1'], clientId: 'group-lag', logger: silentLogger },
        topicNames: createTopicNames(''),
      },
      { groups: { 'events.stamps': 'workers' }, intervalMs: 20 },
    );
    await lag.start();
    expect(lag.of('events.stamps')).toBeUndefined();
    await lag.stop();
    expect(lag.of('events.stamps')).toBeUndefined();
  }, 60_000);
});
