import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Consumer, ConsumerOptions } from '../src/consumer.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTestBus, type TestBus, until } from './harness.ts';
import { contracts, failedStamp } from './messages-for-tests.ts';

let topics: TestBus;
let publisher: Publisher;

beforeEach(async () => {
  topics = await createTestBus({ shortSessions: true });
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);

afterEach(() => topics.dispose(), 60_000);

const startConsumer = async (
  handle: ConsumerOptions['handle'],
  options: Partial<ConsumerOptions> = {},
): Promise<Consumer> => {
  const consumer = topics.stopLater(topics.bus.createConsumer({ groupId: 'workers', contracts, handle, ...options }));
  await consumer.start();
  return consumer;
};

/** How many messages of events.stamps the group has committed. */
const committed = async (): Promise<number> => {
  const admin = topics.plain.admin();
  await admin.connect();
  const [offsets] = await admin.fetchOffsets({
    groupId: `${topics.prefix}workers`,
    topics: [`${topics.prefix}events.stamps`],
  });
  await admin.disconnect();
  return offsets!.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
};

describe('a consumer group', () => {
  it('commits a message only after it is handled: stopped while handling fails, it is handed over again (I5)', async () => {
    const message = failedStamp(randomUUID(), 'a');
    const attempts: string[] = [];
    const failing = await startConsumer(async (batch) => {
      attempts.push(...batch.map(({ id }) => id));
      throw new Error('database away');
    });
    await publisher.publish([message]);
    await until(() => attempts.length > 0);
    await failing.stop();
    expect(await committed()).toBe(0);
    const received: string[] = [];
    await startConsumer(async (batch) => {
      received.push(...batch.map(({ id }) => id));
    });
    await until(() => received.length > 0);
    expect(received).toEqual([message.id]);
    await until(async () => (await committed()) === 1);
  }, 60_000);

  it('is handed the messages again that a member had in hand when it was killed (I5)', async () => {
    const message = failedStamp(randomUUID(), 'a');
    await publisher.publish([message]);
    const program = join(import.meta.dirname, 'hanging-consumer.ts');
    const { brokers, schemaRegistryUrl, prefix, sessionTimeoutMs } = topics;
    const words = [brokers.join(','), schemaRegistryUrl, prefix, 'workers', String(sessionTimeoutMs)];
    const member = spawn(process.execPath, [program, ...words]);
    const [taken] = await once(member.stdout, 'data');
    expect(String(taken).trim()).toBe(message.id);
    member.kill('SIGKILL');
    await once(member, 'exit');
    const received: string[] = [];
    await startConsumer(async (batch) => {
      received.push(...batch.map(({ id }) => id));
    });
    await until(() => received.length > 0);
    expect(received).toEqual([message.id]);
  }, 60_000);

  it('retries a fault of the surroundings without skipping or overtaking, while it keeps its membership', async () => {
    const stampId = randomUUID();
    const messages = ['a', 'b', 'c'].map((code) => failedStamp(stampId, code));
    const handled: string[] = [];
    let failures = 0;
    await startConsumer(async (batch) => {
      if (failures < 4) {
        failures += 1;
        throw new Error('database away');
      }
      handled.push(...batch.map(({ id }) => id));
    });
    for (const message of messages) await publisher.publish([message]);
    await until(() => handled.length === 3);
    expect(handled).toEqual(messages.map(({ id }) => id));
    expect(failures).toBe(4);
  }, 60_000);

  it('keeps a member whose batch takes longer than the session timeout: nothing is handed to anybody else meanwhile', async () => {
    const slow = failedStamp(randomUUID(), 'slow');
    const handled: string[] = [];
    const mayEnd = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const handle: ConsumerOptions['handle'] = async (batch, { signal }) => {
      signals.push(signal);
      await mayEnd.promise;
      handled.push(...batch.map(({ id }) => id));
    };
    await startConsumer(handle);
    await publisher.publish([slow]);
    await until(() => signals.length === 1);
    const admin = topics.plain.admin();
    await admin.connect();
    const members = async () =>
      (await admin.describeGroups([`${topics.prefix}workers`])).groups[0]!.members.map(({ memberId }) => memberId);
    const before = await members();
    const sessionIsOver = performance.now() + 1.3 * topics.sessionTimeoutMs!;
    await until(() => performance.now() > sessionIsOver);
    expect(await members()).toEqual(before);
    await admin.disconnect();
    mayEnd.resolve();
    await until(async () => (await committed()) === 1);
    expect(handled).toEqual([slow.id]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  }, 60_000);

  it('finishes and commits what it is handling before it has stopped', async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    const consumer = await startConsumer(async (_, context) => {
      signal = context.signal;
      started.resolve();
      await finish.promise;
    });
    await publisher.publish([failedStamp(randomUUID(), 'a')]);
    await started.promise;
    let stopped = false;
    const stopping = consumer.stop().then(() => {
      stopped = true;
    });
    await until(() => signal?.aborted === true);
    expect(stopped).toBe(false);
    finish.resolve();
    await stopping;
    expect(await committed()).toBe(1);
    expect(consumer.ready()).toBe(false);
  }, 60_000);

  it('shares its partitions among its members, and nothing is left out when one leaves', async () => {
    const seen = [new Set<string>(), new Set<string>()];
    const members: Consumer[] = [];
    for (const mine of seen) {
      members.push(
        await startConsumer(async (batch) => {
          for (const { id } of batch) mine.add(id);
        }),
      );
    }
    const publishSome = async () => {
      const messages = Array.from({ length: 100 }, () => failedStamp(randomUUID(), 'a'));
      await publisher.publish(messages);
      return messages.map(({ id }) => id);
    };
    const first = await publishSome();
    await until(() => first.every((id) => seen[0]!.has(id) || seen[1]!.has(id)));
    // The second has joined, so the first has given some of its partitions up by now or will have soon.
    await until(async () => {
      await publishSome();
      return seen.every((mine) => mine.size > 0);
    });
    await members[1]!.stop();
    const last = await publishSome();
    await until(() => last.every((id) => seen[0]!.has(id) || seen[1]!.has(id)));
    expect(last.some((id) => seen[0]!.has(id))).toBe(true);
  }, 60_000);

  it('hands over no more at once than configured', async () => {
    const messages = Array.from({ length: 25 }, (_, n) =>
      failedStamp('00000000-0000-4000-8000-000000000001', String(n)),
    );
    await publisher.publish(messages);
    const sizes: number[] = [];
    const handled: string[] = [];
    const consumer = await startConsumer(
      async (batch) => {
        sizes.push(batch.length);
        handled.push(...batch.map(({ id }) => id));
      },
      { maxBatchMessages: 10 },
    );
    await until(() => handled.length === 25);
    expect(handled).toEqual(messages.map(({ id }) => id));
    expect(Math.max(...sizes)).toBe(10);
    await until(() => consumer.lags().get('events.stamps') === 0);
  }, 60_000);
});
