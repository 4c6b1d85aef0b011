import { randomUUID } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import {
  createMessageBus,
  type IncomingMessage,
  mergePartitions,
  type OutgoingMessage,
  outgoing,
} from '@indelible/kafka';
import { CreateCollection } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import { eventually, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { handleCollectionRequests } from '../src/requests/handle-collection-requests.ts';
import { createIntake } from '../src/requests/intake.ts';
import { collectionRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

jest.setTimeout(60_000);

let fixture: Fixture;
let ada: Hex;
const kafka = testKafka();
beforeAll(async () => {
  fixture = await createFixture();
  ada = await fixture.openAccount(0);
}, 60_000);
afterAll(async () => {
  await fixture.dispose();
  await kafka.dispose();
});

describe('a command that Postgres can never store', () => {
  it('becomes a dead letter, and the commands around it are decided (I11, I12)', async () => {
    const letters: string[] = [];
    const bus = createMessageBus({
      brokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      clientId: 'test',
      source: 'test',
      topicPrefix: kafka.prefix,
      logger: createLogger({ service: 'test', level: 'silent' }),
      onEvent: ({ kind, topic }) => {
        if (kind === 'dead-letter') letters.push(topic);
      },
    });
    await bus.provision();
    const { database } = fixture;
    const intake = createIntake({ database, maxWaiting: 200_000, shares: fixture.shares, maxAgeMs: 0, now: () => 0 });
    const consumer = bus.createConsumer({
      groupId: 'stamping.collections',
      contracts: [CreateCollection],
      concurrency: 8,
      handle: mergePartitions(async (batch) => {
        await handleCollectionRequests(
          { database, intake },
          batch as readonly IncomingMessage<typeof CreateCollection>[],
        );
      }),
    });
    const publisher = bus.createPublisher({ contracts: [CreateCollection] });
    const ask = (name: string, key: string, replyTo = 'gateway-1'): OutgoingMessage => {
      const data = collectionRequest(ada, name, { replyTo });
      return outgoing(CreateCollection, data, { id: randomUUID(), time: data.requestedAt, key });
    };
    await publisher.start();
    await publisher.publish([
      ask('before', 'a'),
      // Text of Postgres holds no NUL: SQLSTATE 22021, however often it is tried.
      ask('poison', 'a', 'gateway\u0000'),
      ask('behind', 'a'),
      ask('beside', 'b'),
    ]);
    await consumer.start();
    const names = async () =>
      (await fixture.rows('select name from collections order by name')).map(({ name }) => name);
    await eventually(async () => expect(await names()).toEqual(['before', 'behind', 'beside']), { timeoutMs: 20_000 });
    await eventually(async () => expect(letters).toEqual(['commands.collections']), { timeoutMs: 20_000 });
    const [letter] = await bus.deadLetters.list('commands.collections', 10);
    expect(letter).toMatchObject({ group: 'stamping.collections', errorMessage: expect.stringContaining('0x00') });
    await Promise.all([consumer.stop(), publisher.stop()]);
  });
});
