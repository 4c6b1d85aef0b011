import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { createMessageBus, type MessageBus, outgoing } from '@indelible/kafka';
import { StampFailed } from '@indelible/messages';
import { createLogger, PermanentError } from '@indelible/service-runtime';
import { eventually, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from './command-line.ts';

jest.setTimeout(60_000);

describe('indelible dead-letters replay', () => {
  const kafka = testKafka();
  const logger = createLogger({ service: 'test', level: 'silent' });
  let bus: MessageBus;
  beforeAll(async () => {
    bus = createMessageBus({
      brokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      clientId: 'test',
      source: 'test',
      topicPrefix: kafka.prefix,
      logger,
    });
    await bus.provision();
  });
  afterAll(() => kafka.dispose());

  const replay = (...words: string[]) =>
    runCommand(['dead-letters', 'replay', ...words], {
      folder: tmpdir(),
      environment: {
        KAFKA_BROKERS: kafka.brokers.join(','),
        SCHEMA_REGISTRY_URL: kafka.schemaRegistryUrl,
        TOPIC_PREFIX: kafka.prefix,
      },
    });

  it('hands a message that was put aside to its consumer again, once', async () => {
    const stampId = randomUUID();
    const seen: string[] = [];
    let putAside = 0;
    let broken = true;
    const consumer = createMessageBus({
      brokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      clientId: 'consumer',
      source: 'test',
      topicPrefix: kafka.prefix,
      logger,
      onEvent: ({ kind }) => {
        if (kind === 'dead-letter') putAside++;
      },
    }).createConsumer({
      groupId: 'replay-test',
      contracts: [StampFailed],
      async handle(batch) {
        if (broken) throw new PermanentError('a fault of this version');
        seen.push(...batch.map((message) => message.id));
      },
    });
    const publisher = bus.createPublisher({ contracts: [StampFailed] });
    await Promise.all([consumer.start(), publisher.start()]);
    const id = randomUUID();
    const refusal = { code: 'stamp-failed', message: 'no' };
    await publisher.publish([outgoing(StampFailed, { stampId, refusal }, { id, time: new Date().toISOString() })]);
    await eventually(async () => expect(putAside).toBe(1), { timeoutMs: 20_000 });
    broken = false;

    const first = await replay('events.stamps', '--json');
    expect([first.err, JSON.parse(first.out)]).toEqual(['', { topic: 'events.stamps', replayed: 1 }]);
    await eventually(async () => expect(seen).toEqual([id]), { timeoutMs: 20_000 });
    const second = await replay('events.stamps');
    expect([second.code, second.out]).toEqual([0, '0 replayed to events.stamps\n']);
    await Promise.all([consumer.stop(), publisher.stop()]);
  });

  it('refuses a topic that does not exist, and a limit that is none', async () => {
    expect(await replay('events.nothing')).toMatchObject({ code: 2, err: expect.stringContaining('events.stamps') });
    expect(await replay('events.stamps', '--limit', '0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--limit'),
    });
  });
});
