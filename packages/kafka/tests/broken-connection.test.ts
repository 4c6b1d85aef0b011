import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createConsumer } from '../src/consumer.ts';
import { createDeadLetterBox } from '../src/dead-letter-box.ts';
import { BrokerUnavailableError } from '../src/errors.ts';
import type { Connection } from '../src/kafka-client.ts';
import { createProducerSession } from '../src/producer-session.ts';
import { createTopicNames } from '../src/topic-names.ts';
import { readTopicOffsets } from '../src/topic-offsets.ts';
import { createTestBus, silentLogger, type TestBus, until } from './harness.ts';
import { contracts, failedStamp } from './messages-for-tests.ts';
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let topics: TestBus;
let topic: string;
let proxy: TcpProxy;
let connection: Connection;

beforeEach(async () => {
  topics = await createTestBus();
  topic = `${topics.prefix}events.stamps`;
  const [host, port] = topics.brokers[0]!.split(':');
  proxy = await createTcpProxy({ host: host!, port: Number(port) });
  connection = {
    brokers: topics.brokers,
    clientId: 'broken-connection',
    logger: silentLogger,
    openSocket: ({ onConnect }) => net.connect({ host: '127.0.0.1', port: proxy.port }, onConnect),
  };
}, 60_000);

afterEach(async () => {
  await topics.dispose();
  await proxy.close();
}, 60_000);

const record = (key: string, value: string) => ({ topic, key, value: Buffer.from(value), headers: {} });

/** The values of a key as they stand in the topic, read past the proxy. */
const readAll = async (key: string, count: number): Promise<string[]> => {
  const values: string[] = [];
  const consumer = topics.plain.consumer({ groupId: randomUUID() });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      if (message.key?.toString() === key) values.push(String(message.value));
    },
  });
  await until(() => values.length >= count);
  await consumer.disconnect();
  return values;
};

/** Records in all partitions of the topic. */
const writtenSoFar = async (): Promise<number> => {
  const direct = { brokers: topics.brokers, clientId: 'kafka-tests', logger: silentLogger };
  const offsets = await readTopicOffsets(direct, [topic]);
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
};

const startSession = async (limits?: { sendTimeoutMs: number }) => {
  const session = topics.stopLater(createProducerSession(connection, limits));
  await session.start();
  return session;
};

describe('producing over a connection that breaks', () => {
  it('writes a message once when its acknowledgement is lost and it is sent again', async () => {
    const session = await startSession();
    const key = randomUUID();
    await session.send([record(key, 'first')]);
    const before = await writtenSoFar();
    proxy.set('mute');
    const sending = session.send([record(key, 'second')]);
    await until(async () => (await writtenSoFar()) > before);
    proxy.set('pass');
    await sending;
    await session.send([record(key, 'third')]);
    expect(await readAll(key, 3)).toEqual(['first', 'second', 'third']);
  }, 60_000);

  it('does not take the next message for a repetition of one it gave up: nothing acknowledged is lost', async () => {
    const session = await startSession({ sendTimeoutMs: 300 });
    const key = randomUUID();
    await session.send([record(key, 'first')]);
    proxy.set('mute');
    await expect(session.send([record(key, 'given up')])).rejects.toBeInstanceOf(BrokerUnavailableError);
    proxy.set('pass');
    await session.send([record(key, 'next')]);
    const values = await readAll(key, 3);
    expect(values).toEqual(['first', 'given up', 'next']);
  }, 60_000);

  it('rejects with a retryable error while the brokers are away, and is ready again by itself', async () => {
    const session = await startSession({ sendTimeoutMs: 300 });
    proxy.set('refuse');
    proxy.cut();
    const error = await session.send([record(randomUUID(), 'lost')]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'BrokerUnavailableError', retryable: true });
    expect(session.ready()).toBe(false);
    proxy.set('pass');
    await until(() => session.ready());
  }, 60_000);

  it('waits at its start for brokers that are not there yet', async () => {
    proxy.set('refuse');
    const session = topics.stopLater(createProducerSession(connection));
    const starting = session.start();
    proxy.set('pass');
    await starting;
    expect(session.ready()).toBe(true);
  }, 60_000);
});

describe('consuming over a connection that breaks', () => {
  it('joins again by itself and goes on where it was', async () => {
    const publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
    await publisher.start();
    const received: string[] = [];
    const fatal: Error[] = [];
    const consumer = createConsumer(
      {
        connection,
        topicNames: createTopicNames(topics.prefix),
        deadLetterBox: createDeadLetterBox(createProducerSession(connection)),
        onEvent: () => undefined,
      },
      {
        groupId: 'reconnecting',
        contracts,
        handle: async (batch) => {
          received.push(...batch.map(({ id }) => id));
        },
      },
    );
    consumer.onFatal((error) => fatal.push(error));
    topics.stopLater(consumer);
    await consumer.start();
    const messages = ['a', 'b'].map((code) => failedStamp(randomUUID(), code));
    await publisher.publish([messages[0]!]);
    await until(() => received.includes(messages[0]!.id));
    proxy.set('refuse');
    proxy.cut();
    await until(() => !consumer.ready());
    await publisher.publish([messages[1]!]);
    proxy.set('pass');
    await until(() => received.includes(messages[1]!.id));
    expect(consumer.ready()).toBe(true);
    expect(fatal).toEqual([]);
  }, 60_000);
});
