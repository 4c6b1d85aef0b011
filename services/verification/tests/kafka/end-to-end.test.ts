import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { createMessageBus, type OutgoingMessage, outgoing, type Publisher } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, CollectionRegistered } from '@indelible/messages';
import { type Component, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, internalUrlOf, type TestDatabase, type TestKafka, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createVerificationService } from '../../src/service.ts';
import { block, chainId, commitment, finalize, hash, type Message, revert, user } from '../support/chain.ts';
import { logger, verificationDatabase } from '../support/database.ts';

const contracts = [BlockAppended, BlocksReverted, BlocksFinalized, CollectionRegistered];
const faults: unknown[] = [];
let server: TestDatabase;
let kafka: TestKafka;
let publisher: Publisher;
let replicas: { url: string; components: readonly Component[] }[] = [];

beforeAll(async () => {
  server = await verificationDatabase();
  kafka = testKafka();
  const bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision({ contracts });
  publisher = bus.createPublisher({ contracts });
  await publisher.start();
  replicas = await Promise.all([startReplica(), startReplica()]);
}, 120_000);

afterAll(async () => {
  for (const { components } of replicas) await stopAll(components);
  await publisher.stop();
  await kafka.dispose();
  await server.drop();
}, 60_000);

async function startReplica(): Promise<{ url: string; components: readonly Component[] }> {
  const components = createVerificationService(
    {
      databaseUrl: server.url,
      kafkaBrokers: kafka.brokers,
      schemaRegistryUrl: kafka.schemaRegistryUrl,
      topicPrefix: kafka.prefix,
      indexerUrl: 'http://127.0.0.1:1',
      internalHost: '127.0.0.1',
      internalPort: 0,
      leaveMs: 0,
      kafkaSessionTimeoutMs: 10_000,
      logLevel: 'silent',
      spoolDirectory: tmpdir(),
      spoolMaxBytes: 2 ** 30,
    },
    logger,
    (error) => faults.push(error),
  );
  await startAll(components);
  return { url: internalUrlOf(components), components };
}

function outgoingOf(message: Message): OutgoingMessage {
  const envelope = { id: message.id, time: new Date().toISOString() };
  switch (message.type) {
    case 'BlockAppended':
      return outgoing(BlockAppended, message.data, envelope);
    case 'BlocksReverted':
      return outgoing(BlocksReverted, message.data, envelope);
    case 'BlocksFinalized':
      return outgoing(BlocksFinalized, message.data, envelope);
  }
}

const lookUp = async (url: string, body: object): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(`${url}/internal/commitments/lookup`, {
    method: 'POST',
    body: JSON.stringify({ limit: 100, ...body }),
    headers: { 'content-type': 'application/json' },
  });
  return { status: response.status, body: await response.json() };
};

describe('the verification service', () => {
  it('answers on every replica what came through Kafka, after reorgs and repetitions (I4, I5, I9)', async () => {
    const repeated = block(2, [commitment(0, 'alice', 'photos', 'cat')]);
    await publisher.publish(
      [
        block(1, [commitment(0, 'alice', 'photos', 'dog')]),
        repeated,
        repeated,
        finalize(1),
        revert(1, 2),
        block(2, [], { fork: 'other', parent: 'main' }),
        block(3, [commitment(5, 'alice', 'photos', 'cat')], { fork: 'other', part: 1, parts: 2 }),
        block(3, [commitment(6, 'bob', undefined, 'cat')], { fork: 'other', part: 2, parts: 2 }),
      ].map(outgoingOf),
    );
    for (const { url } of replicas) {
      const answer = await eventually(
        async () => {
          const found = await lookUp(url, {
            cids: [hash('cat'), hash('dog')],
            minBlock: { chainId, number: 3 },
            limit: 100,
          });
          expect(found.status).toBe(200);
          return found.body;
        },
        { timeoutMs: 30_000 },
      );
      expect(answer).toMatchObject({
        receipts: [
          { blockNumber: 3, logIndex: 5, account: user('alice'), blockHash: hash('other 3') },
          { blockNumber: 3, logIndex: 6, account: user('bob') },
          { blockNumber: 1, logIndex: 0, objectCid: hash('dog') },
        ],
      });
    }
    expect(faults).toEqual([]);
  }, 60_000);

  it('projects collections as well, and is ready', async () => {
    const registered = {
      collectionId: 1,
      account: user('alice'),
      cid: hash('photos'),
      name: 'Photos',
      description: null,
      isPinned: false,
      isPublic: true,
      registeredAt: '2026-01-01T00:00:00.000Z',
    };
    await publisher.publish([
      outgoing(CollectionRegistered, registered, { id: randomUUID(), time: registered.registeredAt }),
    ]);
    await eventually(async () => {
      const { rows } = await server.pool.query('select name, folded_name from verification.collections');
      expect(rows).toEqual([{ name: 'Photos', folded_name: 'photos' }]);
    });
    for (const { url } of replicas) {
      expect(await (await fetch(`${url}/health/ready`)).json()).toEqual({ status: 'ready', waiting: [] });
      expect(await (await fetch(`${url}/metrics`)).text()).toContain(
        'indelible_consumer_lag_messages{group="verification",',
      );
    }
  });
});
