import { randomUUID } from 'node:crypto';
import { appendEvents, createRelay, newEvent } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import { createMessageBus, type IncomingMessage, type MessageBus, mergePartitions, outgoing } from '@indelible/kafka';
import { RequestStamp, RequestStampV2, StampFailed, StampFailedV1, StampsSubmittedV1 } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import { eventually, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Registry } from 'prom-client';
import { publishedEvents } from '../src/published-events.ts';
import { handleStampRequests } from '../src/requests/handle-stamp-requests.ts';
import { stampRequestOf, stampRequests } from '../src/requests/stamp-request-of.ts';
import { schema } from '../src/schema.ts';
import { stampStream } from '../src/stamp-stream.ts';
import { stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

jest.setTimeout(60_000);

const logger = createLogger({ service: 'test', level: 'silent' });
const kafka = testKafka();
let fixture: Fixture;
let account: Hex;
let bus: MessageBus;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision();
}, 60_000);
afterAll(async () => {
  await fixture.dispose();
  await kafka.dispose();
});

describe('what a former release left behind', () => {
  it('commands in the topic are decided beside newer ones, and have no reference (I6)', async () => {
    const { clientRef: _, ...former } = stampRequest(account);
    const newer = stampRequest(account, { clientRef: 'row 1' });
    const requestId = randomUUID();
    const publisher = bus.createPublisher({ contracts: stampRequests });
    await publisher.start();
    const envelope = () => ({ id: randomUUID(), time: newer.requestedAt, requestId, key: 'one' });
    await publisher.publish([outgoing(RequestStampV2, former, envelope()), outgoing(RequestStamp, newer, envelope())]);
    const { database, chainId, intake } = fixture;
    const consumer = bus.createConsumer({
      groupId: 'stamping.requests',
      contracts: stampRequests,
      handle: mergePartitions(async (batch) => {
        await handleStampRequests({ database, chainId, now: Date.now, intake }, batch.flatMap(stampRequestOf));
      }),
    });
    await consumer.start();
    const made = () => fixture.rows('select id, request_id, client_ref from stamps order by seq');
    await eventually(
      async () =>
        expect(await made()).toEqual([
          { id: former.requestId, request_id: requestId, client_ref: null },
          { id: newer.requestId, request_id: requestId, client_ref: 'row 1' },
        ]),
      { timeoutMs: 20_000 },
    );
    expect(await bus.deadLetters.list('commands.stamps', 10)).toEqual([]);
    await Promise.all([consumer.stop(), publisher.stop()]);
  });

  it('events recorded and not published are published, in order with newer ones (I6)', async () => {
    const refusal = { code: 'stamp-failed', message: 'm' };
    const [stampId, batchId] = [randomUUID(), randomUUID()];
    const hash = `0x${'ab'.repeat(32)}` as const;
    const submitted = { batchId, chainId: 1, lane: account, nonce: 0, transactionHash: hash, stampIds: [stampId] };
    const newest = {
      ...{ stampId, requestId: null, account, setCid: hash, objectCid: hash, collectionName: null, clientRef: null },
      ...{ refusal, failedAt: new Date().toISOString() },
    };
    await fixture.database.transaction((client) =>
      appendEvents(client, schema, [
        newEvent(StampsSubmittedV1, submitted, { stream: `batch-${batchId}`, version: 1 }),
        newEvent(StampFailedV1, { stampId, refusal }, { stream: stampStream(stampId), version: 101 }),
        newEvent(StampFailed, newest, { stream: stampStream(stampId), version: 102 }),
      ]),
    );
    const published: IncomingMessage[] = [];
    const consumer = bus.createConsumer({
      groupId: 'listener',
      contracts: publishedEvents,
      handle: async (batch) => void published.push(...batch),
    });
    const publisher = bus.createPublisher({ contracts: publishedEvents });
    const relay = createRelay({
      database: fixture.database,
      publisher,
      contracts: publishedEvents,
      logger,
      metrics: new Registry(),
    });
    await publisher.start();
    await Promise.all([consumer.start(), relay.start()]);
    await eventually(
      () => {
        const ofBatch = published.filter(({ data }) => 'batchId' in data && data.batchId === batchId);
        expect(ofBatch).toMatchObject([{ version: 1, data: submitted }]);
        const ofStamp = published.filter(({ data }) => 'refusal' in data && 'stampId' in data);
        expect(ofStamp.map(({ version }) => version)).toEqual([1, 2]);
      },
      { timeoutMs: 20_000 },
    );
    await relay.stop();
    await Promise.all([consumer.stop(), publisher.stop()]);
  });
});
