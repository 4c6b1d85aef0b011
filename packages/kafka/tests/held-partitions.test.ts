import { CreateCollection } from '@indelible/messages';
import { createBackoff } from '@indelible/service-runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createBusMetrics } from '../src/bus-metrics.ts';
import type { Consumer, ConsumerOptions } from '../src/consumer.ts';
import type { IncomingMessage } from '../src/message.ts';
import type { Publisher } from '../src/publisher.ts';
import { createTestBus, type TestBus, until } from './harness.ts';
import { contracts, failedStamp, newCollection } from './messages-for-tests.ts';

/** A tenth of the usual: a message is handed over many times before it is set aside. */
const backoff = createBackoff({ firstMs: 10, ceilingMs: 1_000 });

let topics: TestBus;
let publisher: Publisher;

beforeEach(async () => {
  topics = await createTestBus();
  publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
  await publisher.start();
}, 60_000);

afterEach(() => topics.dispose(), 60_000);

const startConsumer = async (
  handle: ConsumerOptions['handle'],
  options: Partial<ConsumerOptions> = {},
): Promise<Consumer> => {
  const consumer = topics.stopLater(
    topics.bus.createConsumer({ groupId: 'workers', contracts, handle, backoff, ...options }),
  );
  await consumer.start();
  return consumer;
};

/** Messages of one stamp: they share a partition. */
const ofStamp = (stampId: string, codes: readonly string[]) => codes.map((code) => failedStamp(stampId, code));
const codeOf = ({ data }: IncomingMessage): string => (data as { refusal: { code: string } }).refusal.code;
const stampOf = ({ data }: IncomingMessage): string => (data as { stampId: string }).stampId;
const withCode = (code: string) => Object.assign(new Error(`of class ${code}`), { code });

// Their shards, and so their partitions, differ.
const sick = '00000000-0000-4000-8000-000000000001';
const well = '00000000-0000-4000-8000-000000000002';

const committed = async (): Promise<number> => {
  const admin = topics.plain.admin();
  await admin.connect();
  const topic = `${topics.prefix}events.stamps`;
  const [offsets] = await admin.fetchOffsets({ groupId: `${topics.prefix}workers`, topics: [topic] });
  await admin.disconnect();
  return offsets!.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
};

const letters = (): number =>
  topics.events.filter(({ kind }) => kind === 'dead-letter').reduce((sum, { count }) => sum + count, 0);

/** Publishes messages of the well partition until the condition holds: others that are handled. */
const publishUntil = async (condition: () => boolean): Promise<string[]> => {
  const published: string[] = [];
  await until(async () => {
    if (condition()) return true;
    const code = `well ${published.length}`;
    await publisher.publish(ofStamp(well, [code]));
    published.push(code);
    return false;
  });
  return published;
};

/** A handler that fails while `fault` says so, and what it has handled. */
const createHandler = (fault: (batch: readonly IncomingMessage[]) => Error | undefined) => {
  const handled: string[] = [];
  const attempts: string[][] = [];
  const handle: ConsumerOptions['handle'] = async (batch) => {
    attempts.push(batch.map(codeOf));
    const error = fault(batch);
    if (error !== undefined) throw error;
    handled.push(...batch.map(codeOf));
  };
  return { handle, handled, attempts };
};

describe('a partition that cannot be handled', () => {
  it('holds no other, and is handled in its order when its fault has ended (I11, I12)', async () => {
    let broken = true;
    const { handle, handled, attempts } = createHandler((batch) =>
      broken && batch.some((message) => stampOf(message) === sick) ? withCode('ECONNREFUSED') : undefined,
    );
    const consumer = await startConsumer(handle, { stalledAfterMs: 1 });
    await publisher.publish(ofStamp(sick, ['a', 'b']));
    await until(() => attempts.length > 0);
    for (const code of ['1', '2', '3']) {
      await publisher.publish(ofStamp(well, [code]));
      await until(() => handled.includes(code));
    }
    await publisher.publish(ofStamp(sick, ['c']));
    expect(handled).toEqual(['1', '2', '3']);
    await until(() => consumer.stalled());
    expect(consumer.ready()).toBe(true);
    expect(consumer.oldestUnhandledMs().get('events.stamps')).toBeGreaterThan(0);
    expect(consumer.lags().get('events.stamps')).toBeGreaterThan(0);
    broken = false;
    await until(() => handled.length === 6);
    expect(handled.slice(3)).toEqual(['a', 'b', 'c']);
    await until(() => !consumer.stalled() && consumer.oldestUnhandledMs().get('events.stamps') === 0);
    await until(async () => (await committed()) === 6);
    expect(letters()).toBe(0);
  }, 60_000);

  it('holds no other while its handler hangs (I12)', async () => {
    const end = Promise.withResolvers<void>();
    const handled: string[] = [];
    await startConsumer(async (batch) => {
      if (batch.some((message) => stampOf(message) === sick)) await end.promise;
      handled.push(...batch.map(codeOf));
    });
    await publisher.publish(ofStamp(sick, ['a']));
    for (const code of ['1', '2']) {
      await publisher.publish(ofStamp(well, [code]));
      await until(() => handled.includes(code));
    }
    expect(handled).toEqual(['1', '2']);
    end.resolve();
    await until(async () => (await committed()) === 3);
    expect(handled).toEqual(['1', '2', 'a']);
  }, 60_000);

  it('lets its consumer stop, which commits nothing of it, and the next member is handed it (I5)', async () => {
    const failing = createHandler(() => withCode('ECONNREFUSED'));
    const first = await startConsumer(failing.handle);
    await publisher.publish(ofStamp(sick, ['a', 'b']));
    await until(() => topics.events.some(({ kind }) => kind === 'retry'));
    await first.stop();
    expect(await committed()).toBe(0);
    const working = createHandler(() => undefined);
    await startConsumer(working.handle);
    await until(() => working.handled.length === 2);
    expect(working.handled).toEqual(['a', 'b']);
  }, 60_000);

  it('is handled by its member of then when the group is joined again meanwhile (I5)', async () => {
    let broken = true;
    const { handle, handled } = createHandler((batch) =>
      broken && batch.some((message) => stampOf(message) === sick) ? withCode('ECONNREFUSED') : undefined,
    );
    await startConsumer(handle);
    await publisher.publish(ofStamp(sick, ['a', 'b']));
    await until(() => topics.events.some(({ kind }) => kind === 'retry'));
    const second = await startConsumer(handle);
    await publisher.publish(ofStamp(well, ['1']));
    await until(() => handled.includes('1'));
    await second.stop();
    await publisher.publish(ofStamp(well, ['2']));
    await until(() => handled.includes('2'));
    expect(handled).not.toContain('a');
    broken = false;
    await until(async () => (await committed()) === 4);
    expect(handled.filter((code) => code === 'a' || code === 'b').slice(-2)).toEqual(['a', 'b']);
  }, 60_000);
});

describe('a message that cannot be handled', () => {
  it('by the database (22021) is set aside at once, though nothing else comes, and its neighbours are handled', async () => {
    const { handle, handled } = createHandler((batch) =>
      batch.map(codeOf).includes('poison') ? withCode('22021') : undefined,
    );
    await publisher.publish(ofStamp(sick, ['a', 'poison', 'b']));
    await startConsumer(handle);
    await until(() => letters() === 1 && handled.length === 2);
    expect(handled).toEqual(['a', 'b']);
    await until(async () => (await committed()) === 3);
  }, 60_000);

  it.each(['57014', 'of an unknown class'])(
    'for a reason that nobody foresaw or that only looks like the surroundings is set aside while others are handled: %s (I12)',
    async (code) => {
      const { handle, handled } = createHandler((batch) =>
        batch.map(codeOf).includes('poison') ? withCode(code) : undefined,
      );
      await startConsumer(handle);
      await publisher.publish(ofStamp(sick, ['a', 'poison', 'b']));
      const others = await publishUntil(() => letters() === 1);
      await until(() => handled.length === 2 + others.length);
      expect(handled.filter((each) => !others.includes(each))).toEqual(['a', 'b']);
      expect(letters()).toBe(1);
    },
    60_000,
  );

  it('is set aside too when nothing comes but an ordinary command behind it in its own partition (I11)', async () => {
    const handled: string[] = [];
    let attempts = 0;
    const nameOf = ({ data }: IncomingMessage): string => (data as { name: string }).name;
    await startConsumer(
      async (batch) => {
        attempts += 1;
        if (batch.some((message) => nameOf(message) === 'poison')) throw new TypeError('x is undefined');
        handled.push(...batch.map(nameOf));
      },
      { contracts: [CreateCollection] },
    );
    const commands = topics.stopLater(topics.bus.createPublisher({ contracts: [CreateCollection] }));
    await commands.start();
    await commands.publish([newCollection('poison')]);
    await until(() => attempts > 2);
    expect(letters()).toBe(0);
    await commands.publish([newCollection('a')]);
    await until(() => letters() === 1 && handled.includes('a'));
  }, 60_000);

  it('looks like an outage while everything fails: nothing is set aside, and all is handled afterwards', async () => {
    let out = true;
    const { handle, handled, attempts } = createHandler(() => (out ? withCode('of an unknown class') : undefined));
    await startConsumer(handle, { concurrency: 4 });
    await publisher.publish([...ofStamp(sick, ['a', 'b', 'c']), ...ofStamp(well, ['1', '2', '3'])]);
    await until(() => attempts.length > 20);
    expect({ handled, letters: letters() }).toEqual({ handled: [], letters: 0 });
    out = false;
    await until(() => handled.length >= 6);
    expect(handled.filter((code) => /[abc]/.test(code))).toEqual(['a', 'b', 'c']);
    expect(handled.filter((code) => /[123]/.test(code))).toEqual(['1', '2', '3']);
    expect(letters()).toBe(0);
  }, 60_000);
});

describe('the metrics of a bus', () => {
  it('have lag and age of the oldest unhandled message by group and topic, and counts by kind and topic', async () => {
    const registry = new Registry();
    const metrics = createBusMetrics(registry);
    metrics.count({ kind: 'dead-letter', topic: 'events.stamps', count: 2 });
    metrics.watch('workers', {
      oldestUnhandledMs: () => new Map([['events.stamps', 61_000]]),
      lags: () => new Map([['events.stamps', 7]]),
    });
    const text = await registry.metrics();
    expect(text).toContain('indelible_dead_letters_total{topic="events.stamps"} 2');
    expect(text).toContain('indelible_consumer_oldest_unhandled_seconds{group="workers",topic="events.stamps"} 61');
    expect(text).toContain('indelible_consumer_lag_messages{group="workers",topic="events.stamps"} 7');
  });
});
