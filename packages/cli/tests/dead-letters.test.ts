import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { createMessageBus, type MessageBus, outgoing } from '@indelible/kafka';
import { StampFailedV1, topics } from '@indelible/messages';
import { createLogger, PermanentError } from '@indelible/service-runtime';
import { eventually, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from './command-line.ts';

jest.setTimeout(60_000);

describe('indelible dead-letters', () => {
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

  const deadLetters = (words: readonly string[], brokers = kafka.brokers.join(',')) =>
    runCommand(['dead-letters', ...words], {
      folder: tmpdir(),
      environment: {
        KAFKA_BROKERS: brokers,
        SCHEMA_REGISTRY_URL: kafka.schemaRegistryUrl,
        TOPIC_PREFIX: kafka.prefix,
      },
    });
  const replay = (...words: string[]) => deadLetters(['replay', ...words]);

  /** Sets a message of each stamp aside. */
  const setAside = async (topic: 'events.stamps', stampIds: readonly string[]): Promise<void> => {
    let count = 0;
    const failing = createMessageBus({
      brokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      clientId: 'consumer',
      source: 'test',
      topicPrefix: kafka.prefix,
      logger,
      onEvent: (event) => {
        if (event.kind === 'dead-letter' && event.topic === topic) count += event.count;
      },
    }).createConsumer({
      groupId: 'failing',
      contracts: [StampFailedV1],
      handle: async (batch) => {
        const isOurs = batch.some(({ data }) => stampIds.includes((data as { stampId: string }).stampId));
        if (isOurs) throw new PermanentError('a fault of this version');
      },
    });
    const publisher = bus.createPublisher({ contracts: [StampFailedV1] });
    await Promise.all([failing.start(), publisher.start()]);
    const refusal = { code: 'stamp-failed', message: 'no' };
    for (const stampId of stampIds) {
      const envelope = { id: randomUUID(), time: new Date().toISOString(), key: '0' };
      await publisher.publish([outgoing(StampFailedV1, { stampId, refusal }, envelope)]);
    }
    await eventually(async () => expect(count).toBe(stampIds.length), { timeoutMs: 20_000 });
    await Promise.all([failing.stop(), publisher.stop()]);
  };

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
      contracts: [StampFailedV1],
      async handle(batch) {
        if (broken) throw new PermanentError('a fault of this version');
        seen.push(...batch.map((message) => message.id));
      },
    });
    const publisher = bus.createPublisher({ contracts: [StampFailedV1] });
    await Promise.all([consumer.start(), publisher.start()]);
    const id = randomUUID();
    const refusal = { code: 'stamp-failed', message: 'no' };
    await publisher.publish([outgoing(StampFailedV1, { stampId, refusal }, { id, time: new Date().toISOString() })]);
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

  it('lists letters with their reason, shows one, its value only on request, and discards what was listed', async () => {
    const stampIds = [randomUUID(), randomUUID(), randomUUID()];
    await setAside('events.stamps', stampIds);
    const listed = await deadLetters(['list', '--json']);
    const { topics: found } = JSON.parse(listed.out);
    expect(found).toHaveLength(Object.keys(topics).length);
    const { count, letters } = found.find(({ topic }: { topic: string }) => topic === 'events.stamps');
    expect(count).toBe(3);
    expect(letters[0]).toEqual({
      letter: expect.stringMatching(/^0:\d+$/),
      group: 'failing',
      errorName: 'PermanentError',
      errorMessage: 'a fault of this version',
      time: expect.stringMatching(/^\d{4}-/),
      attempts: 1,
    });
    const [first, second] = letters.map(({ letter }: { letter: string }) => letter);

    const text = await deadLetters(['list', 'events.stamps', '--limit', '1']);
    expect(text.out).toContain('events.stamps: 3');
    expect(text.out).toContain('StampFailed  failing  PermanentError: a fault of this version, 1 attempt');
    expect(text.out).toContain('and 2 more');

    const shown = await deadLetters(['show', 'events.stamps', second]);
    expect(JSON.parse(shown.out)).toMatchObject({ letter: second, headers: { ce_type: 'StampFailed' } });
    expect(shown.out).not.toContain(stampIds[1]);
    const whole = await deadLetters(['show', 'events.stamps', second, '--value', '--json']);
    expect(JSON.parse(whole.out).value).toMatchObject({ stampId: stampIds[1] });

    const doubted = await deadLetters(['discard', 'events.stamps', '--through', second]);
    expect(doubted).toMatchObject({ code: 1, err: expect.stringContaining('--yes is missing: it discards 2') });
    const discarded = await deadLetters(['discard', 'events.stamps', '--through', second, '--yes', '--json']);
    expect(JSON.parse(discarded.out)).toEqual({ topic: 'events.stamps', discarded: 2 });
    const again = await deadLetters(['discard', 'events.stamps', '--through', first, '--yes']);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('no dead letter') });

    // What storage keeps for letters that may be replayed is not kept for those that were discarded (I7).
    const late = await replay('events.stamps', '--letter', second);
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining('no dead letter') });

    const one = letters[2].letter;
    expect((await replay('events.stamps', '--letter', one)).out).toBe('1 replayed to events.stamps\n');
    expect((await deadLetters(['list', 'events.stamps'])).out).toBe('events.stamps: 0\n');
    expect((await replay('events.stamps')).out).toBe('0 replayed to events.stamps\n');
    const none = await deadLetters(['show', 'events.stamps', '0:999']);
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('no dead letter 0:999') });
  });

  it('says that it is Kafka that cannot be reached, where, and by which variable', async () => {
    const { code, err } = await deadLetters(['list'], '127.0.0.1:1');
    expect(code).toBe(1);
    expect(err).toContain('Kafka at 127.0.0.1:1 (KAFKA_BROKERS)');
  });
});
