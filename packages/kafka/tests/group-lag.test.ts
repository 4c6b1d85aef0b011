import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGroupLag } from '../src/group-lag.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTopicNames } from '../src/topic-names.ts';
import { createTestBus, silentLogger, type TestBus, until } from './harness.ts';
import { contracts, failedStamp } from './messages-for-tests.ts';

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
