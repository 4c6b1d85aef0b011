import { randomUUID } from 'node:crypto';
import { type RebuildOptions, rebuild, rebuildSteps } from '@indelible/event-store';
import { cidOfContent } from '@indelible/identifiers';
import {
  consumerComponent,
  createMessageBus,
  type MessageBus,
  type OutgoingMessage,
  outgoing,
  type Publisher,
} from '@indelible/kafka';
import { CollectionCreated, CollectionCreatedV1, CollectionRegistered, CollectionReverted } from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import type { Component } from '@indelible/service-runtime';
import { eventually, type TestDatabase, type TestKafka, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { collectionLists, collectionMessages, findCollections } from '../src/projections/collections.ts';
import { consumerName, handleCollections } from '../src/projections/consume.ts';
import { rebuildables } from '../src/rebuild.ts';
import { schema } from '../src/schema.ts';
import { gatewayDatabase } from './gateway-database.ts';
import { logger } from './gateway-harness.ts';

jest.setTimeout(120_000);

const projectionName = 'gateway.collections';
const faults: unknown[] = [];
let server: TestDatabase;
let database: Database;
let kafka: TestKafka;
let bus: MessageBus;
let publisher: Publisher;
let live: Component;

beforeAll(async () => {
  server = await gatewayDatabase();
  database = createDatabase({ url: server.url, schema, applicationName: 'test', logger });
  kafka = testKafka();
  bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'indelible/test',
    topicPrefix: kafka.prefix,
    logger,
  });
  await bus.provision();
  publisher = bus.createPublisher({
    contracts: [CollectionRegistered, CollectionCreatedV1, CollectionCreated, CollectionReverted],
  });
  live = consumerComponent(
    bus,
    { name: 'projections', groupId: consumerName, fail: (error) => faults.push(error) },
    { 'events.collections': { contracts: collectionMessages, handle: handleCollections(database) } },
  );
  await Promise.all([publisher.start(), live.start()]);
  await publisher.publish(history);
  await caughtUp();
});
afterAll(async () => {
  await live.stop();
  await publisher.stop();
  await database.close();
  await kafka.dispose();
  await server.drop();
  expect(faults).toEqual([]);
});

const account = `0x${'aa'.repeat(20)}` as const;
const requestedAt = '2026-01-02T03:04:05.678Z';
const envelope = () => ({ id: randomUUID(), time: new Date().toISOString() });
const registered = (collectionId: number, name: string) =>
  outgoing(
    CollectionRegistered,
    {
      collectionId,
      account,
      cid: cidOfContent(name),
      name,
      description: null,
      isPinned: false,
      isPublic: true,
      registeredAt: requestedAt,
    },
    envelope(),
  );
const created = (collectionId: number, name: string) =>
  outgoing(
    CollectionCreated,
    {
      collectionId,
      account,
      cid: cidOfContent(name),
      chainId: 31337,
      transactionHash: `0x${'ab'.repeat(32)}`,
      blockNumber: 5,
      blockTime: 1_700_000_000,
      blockHash: `0x${'bb'.repeat(32)}`,
      logIndex: null,
    },
    envelope(),
  );

/** Published by an older release. */
const createdByFormer = (collectionId: number, name: string) => {
  const { blockHash: _hash, logIndex: _index, ...data } = created(collectionId, name).data as CollectionCreated;
  return outgoing(CollectionCreatedV1, data, envelope());
};

const repeated = created(1, 'Photos');
const history: readonly OutgoingMessage[] = [
  registered(1, 'Photos'),
  repeated,
  repeated,
  registered(2, 'Notes'),
  created(2, 'Notes'),
  outgoing(CollectionReverted, { collectionId: 2, account, cid: cidOfContent('Notes') }, envelope()),
  registered(3, 'Former'),
  createdByFormer(3, 'Former'),
] as readonly OutgoingMessage[];

const everything = async () => (await database.query('select * from collections order by id')).rows;

/** Until the live projection has every message: one inbox row for each. */
async function caughtUp(more: readonly OutgoingMessage[] = []): Promise<void> {
  const ids = [...new Set([...history, ...more].map(({ id }) => id))];
  await eventually(
    async () => {
      const { rowCount } = await database.query('select from inbox where message_id = any($1::uuid[])', [ids]);
      expect(rowCount).toBe(ids.length);
    },
    { timeoutMs: 30_000 },
  );
}

function rebuildOf(change: Partial<RebuildOptions> = {}): RebuildOptions {
  const config = {
    databaseUrl: server.url,
    kafkaBrokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    topicPrefix: kafka.prefix,
  };
  const one = rebuildables(logger, () => config).find(({ projection }) => projection.name === projectionName);
  const open = one?.sources.topics;
  if (one === undefined || open === undefined) throw new Error(projectionName);
  return { ...open(), projection: one.projection, logger, signal: new AbortController().signal, ...change };
}

describe('rebuilding the gateway’s read model of collections', () => {
  it('makes it as it was, and mends damage (I8)', async () => {
    const grown = await everything();
    expect(grown.map(({ created }) => created)).toEqual([true, false, true]);
    await database.query("update collections set created = not created, name = 'x' || id");
    await rebuild(rebuildOf());
    expect(await everything()).toEqual(grown);
  });

  it('keeps collections answering all the time, and takes every message once (I5, I9)', async () => {
    let working = true;
    const sent: OutgoingMessage[] = [];
    const writing = (async () => {
      for (let number = 100; working; number++) {
        const batch = [registered(number, `c${number}`)] as OutgoingMessage[];
        await publisher.publish(batch);
        sent.push(...batch);
      }
    })();
    let answers = 0;
    const reading = (async () => {
      while (working) {
        expect(await findCollections(database, [{ account, folded: 'photos' }])).toMatchObject([{ created: true }]);
        expect(
          await collectionLists(database).listCollections(
            { account, onlyPublic: true, isPinned: undefined },
            undefined,
            10_000,
          ),
        ).toContainEqual(expect.objectContaining({ name: 'Notes', created: false }));
        answers += 1;
      }
    })();
    try {
      for (let times = 0; times < 3; times++) await rebuild(rebuildOf());
    } finally {
      working = false;
    }
    await Promise.all([writing, reading]);
    expect(answers).toBeGreaterThan(10);
    await caughtUp(sent);
    expect(await everything()).toHaveLength(3 + sent.length);
  });

  it.each(rebuildSteps)('leaves whole collections when it ends after “%s”, and can be run again (I8)', async (last) => {
    const grown = await everything();
    await database.query("update collections set name = 'damaged' where id = 1");
    const damaged = await everything();
    const ended = rebuild(
      rebuildOf({
        onStep(step) {
          if (step === last) throw new Error(`ended after ${step}`);
        },
      }),
    );
    await expect(ended).rejects.toThrow(`ended after ${last}`);
    expect(await everything()).toEqual(last === 'swapped' ? grown : damaged);
    await rebuild(rebuildOf());
    expect(await everything()).toEqual(grown);
  });

  it('refuses to lose rows that no topic has, unless it is allowed to', async () => {
    await database.query(
      `insert into collections (id, account, cid, name, folded_name, is_pinned, is_public, registered_at)
       values (999999, 'a', 'c', 'n', 'n', false, false, now())`,
    );
    const before = await everything();
    await expect(rebuild(rebuildOf())).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/^1 row .*--allow-fewer/),
    });
    expect(await everything()).toEqual(before);
    await rebuild(rebuildOf({ allowFewer: true }));
    expect(await everything()).toHaveLength(before.length - 1);
  });
});
