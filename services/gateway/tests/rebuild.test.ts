import { randomUUID } from 'node:crypto';
import { cidOfContent, zeroCid } from '@indelible/identifiers';
import { createMessageBus, type MessageBus, type OutgoingMessage, outgoing, type Publisher } from '@indelible/kafka';
import {
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  FileStored,
  FileStoredV1,
  PlainRequestJoined,
  PlainRequestRefused,
  type Receipt,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV2,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV1,
} from '@indelible/messages';
import { createDatabase, type Database } from '@indelible/postgres';
import { type RebuildOptions, rebuild, rebuildSteps } from '@indelible/projections';
import type { Component } from '@indelible/service-runtime';
import { eventually, type TestDatabase, type TestKafka, testDatabase, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import kafkajs from 'kafkajs';
import { migrateGateway } from '../src/migrate.ts';
import { findCollections, listCollections } from '../src/projections/collections.ts';
import { createProjections } from '../src/projections/consume.ts';
import { noteAccepted } from '../src/projections/note-accepted.ts';
import { findStamp } from '../src/projections/stamps.ts';
import { rebuildables } from '../src/rebuild.ts';
import { schema } from '../src/schema.ts';
import { logger } from './gateway-harness.ts';

jest.setTimeout(120_000);

const faults: unknown[] = [];
let server: TestDatabase;
let database: Database;
let kafka: TestKafka;
let bus: MessageBus;
let publisher: Publisher;
let live: Component;

beforeAll(async () => {
  server = await testDatabase();
  await migrateGateway(server.url);
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
    contracts: [
      StampRequested,
      StampRequestJoined,
      StampRequestRefused,
      PlainRequestJoined,
      PlainRequestRefused,
      StampsSubmittedV1,
      StampsSubmitted,
      StampConfirmedV2,
      StampConfirmed,
      StampsFinalized,
      StampRevertedV2,
      StampReverted,
      StampFailedV1,
      StampFailed,
      FileStoredV1,
      FileStored,
      CollectionRegistered,
      CollectionCreated,
      CollectionReverted,
    ],
  });
  live = createProjections({ bus, database, fail: (error) => faults.push(error), grantsSeen: () => {} });
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
const objectCid = cidOfContent('x');
const requestedAt = '2026-01-02T03:04:05.678Z';
const hashOf = (blockNumber: number) => cidOfContent(`block ${blockNumber}`);
const receiptIn = (blockNumber: number): Receipt => ({
  transactionHash: `0x${'ab'.repeat(32)}`,
  logIndex: 0,
  blockNumber,
  blockHash: hashOf(blockNumber),
  blockTime: 1_700_000_000,
  chainId: 31337,
  account,
  setCid: zeroCid,
  objectCid,
});
/** Nobody waits, nothing is to be stored. */
const nobody = { collectionName: null, content: null, replyTo: null };
const submission = { chainId: 31337, lane: account, nonce: 1, transactionHash: `0x${'ab'.repeat(32)}` } as const;
const envelope = () => ({ id: randomUUID(), time: new Date().toISOString() });
const requested = (stampId: string) =>
  outgoing(StampRequested, { stampId, account, objectCid, setCid: zeroCid, requestedAt, ...nobody }, envelope());
const unknown = { requestId: null, clientRef: null, batchId: randomUUID() };
const confirmed = (stampId: string, block = 5) =>
  outgoing(StampConfirmed, { stampId, receipt: receiptIn(block), ...nobody, ...unknown }, envelope());
const identity = (stampId: string) => ({
  ...{ stampId, account, objectCid, setCid: zeroCid, collectionName: null, requestId: null, clientRef: null },
});
const file = { fileName: 'f', filePath: 'p/f', size: 1, crc32c: 1, replyTo: null, storedAt: requestedAt };
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

const [confirmedId, revertedId, failedId, joinedId, refusedId, storedId, plainJoinedId, plainRefusedId] = Array.from(
  { length: 8 },
  () => randomUUID(),
) as [string, string, string, string, string, string, string, string];
/** What a former release told of. */
const former = { reverted: randomUUID(), failed: randomUUID(), stored: randomUUID() };
const formerConfirmed = (stampId: string, block: number) =>
  outgoing(StampConfirmedV2, { stampId, receipt: receiptIn(block), ...nobody }, envelope());
const refusal = { code: 'stamp-failed', message: 'm' };
const repeated = confirmed(confirmedId);
const history: readonly OutgoingMessage[] = [
  ...Object.values(former).map(requested),
  outgoing(
    StampsSubmittedV1,
    { batchId: randomUUID(), stampIds: [former.reverted, former.failed], ...submission },
    envelope(),
  ),
  formerConfirmed(former.reverted, 5),
  outgoing(StampRevertedV2, { stampId: former.reverted, formerReceipt: receiptIn(5) }, envelope()),
  formerConfirmed(former.reverted, 6),
  outgoing(StampFailedV1, { stampId: former.failed, refusal }, envelope()),
  outgoing(FileStoredV1, { stampId: former.stored, account, objectCid, setCid: zeroCid, ...file }, envelope()),
  ...[confirmedId, revertedId, failedId, storedId].map(requested),
  ...[[confirmedId, revertedId], [failedId]].map((ids, i) =>
    outgoing(
      StampsSubmitted,
      {
        ...submission,
        ...{ batchId: unknown.batchId, submittedAt: requestedAt, part: i + 1, parts: 2 },
        stamps: ids.map((id) => ({ ...identity(id), attempt: 1, reversions: 0 })),
      },
      envelope(),
    ),
  ),
  repeated,
  repeated,
  confirmed(revertedId),
  outgoing(
    StampReverted,
    {
      ...{ stampId: revertedId, formerReceipt: receiptIn(5), collectionName: null, ...unknown },
      revertedAt: requestedAt,
    },
    envelope(),
  ),
  confirmed(revertedId, 6),
  outgoing(
    StampsFinalized,
    { batchId: randomUUID(), chainId: 31337, blockNumber: 5, blockHash: hashOf(5), stampIds: [confirmedId] },
    envelope(),
  ),
  outgoing(StampFailed, { ...identity(failedId), refusal, failedAt: requestedAt }, envelope()),
  outgoing(StampRequestJoined, { requestId: joinedId, stampId: confirmedId, account, content: null }, envelope()),
  outgoing(
    StampRequestRefused,
    { requestId: refusedId, account, objectCid, setCid: zeroCid, requestedAt, refusal, content: null },
    envelope(),
  ),
  outgoing(PlainRequestJoined, { requestId: plainJoinedId, stampId: confirmedId, account }, envelope()),
  outgoing(
    PlainRequestRefused,
    { requestId: plainRefusedId, account, objectCid, setCid: zeroCid, requestedAt, refusal },
    envelope(),
  ),
  outgoing(FileStored, { ...identity(storedId), ...file, came: 'with-stamp' }, envelope()),
  registered(1, 'Photos'),
  created(1, 'Photos'),
  registered(2, 'Notes'),
  created(2, 'Notes'),
  outgoing(CollectionReverted, { collectionId: 2, account, cid: cidOfContent('Notes') }, envelope()),
] as readonly OutgoingMessage[];

const everything = async () => ({
  stamps: (await database.query('select * from stamps order by id')).rows,
  aliases: (await database.query('select * from stamp_aliases order by request_id')).rows,
  withoutStamp: (await database.query('select * from requests_without_stamp order by request_id')).rows,
  collections: (await database.query('select * from collections order by id')).rows,
});

/** Until the live projection has had every message: the inbox has one row for each. */
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

function rebuildOf(name: string, change: Partial<RebuildOptions> = {}): RebuildOptions {
  const config = {
    databaseUrl: server.url,
    kafkaBrokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    topicPrefix: kafka.prefix,
  };
  const one = rebuildables(logger, () => config).find(({ projection }) => projection.name === name);
  const open = one?.sources.topics;
  if (one === undefined || open === undefined) throw new Error(name);
  return { ...open(), projection: one.projection, logger, signal: new AbortController().signal, ...change };
}

describe('rebuilding the gateway’s read models', () => {
  it.each(['gateway.stamps', 'gateway.collections'])(
    'makes %s as it was grown, and mends damage (I8)',
    async (name) => {
      const grown = await everything();
      expect(grown).toMatchObject({
        stamps: { length: 9 },
        aliases: [{}, {}],
        withoutStamp: { length: 4 },
        collections: [{}, {}],
      });
      await database.query(
        name === 'gateway.stamps'
          ? "update stamps set on_chain = null, refusal = '{}'; delete from stamp_aliases; delete from requests_without_stamp; delete from final_blocks"
          : "update collections set created = not created, name = 'x' || id",
      );
      await rebuild(rebuildOf(name));
      expect(await everything()).toEqual(grown);
    },
  );

  it('keeps what was accepted and is not decided yet, until its own events come (I6)', async () => {
    const [early, late] = [randomUUID(), randomUUID()];
    const note = (id: string) => noteAccepted(database, [{ id, account, objectCid, setCid: zeroCid, requestedAt }]);
    await note(early);
    let noted: Promise<void> | undefined;
    await rebuild(
      rebuildOf('gateway.stamps', {
        onStep(step) {
          // The swap holds the tables now: this waits for it, and must stand in the new one.
          if (step === 'tables moved') noted = note(late);
        },
      }),
    );
    await noted;
    for (const id of [early, late])
      expect(await findStamp(database, account, id)).toMatchObject({ status: 'accepted' });
    const events = [requested(early), confirmed(early, 7), confirmed(late, 7), requested(late)] as OutgoingMessage[];
    await publisher.publish(events);
    await caughtUp(events);
    for (const id of [early, late])
      expect(await findStamp(database, account, id)).toMatchObject({ status: 'confirmed', receipt: receiptIn(7) });
    const grown = await everything();
    await rebuild(rebuildOf('gateway.stamps'));
    expect(await everything()).toEqual(grown);
  });

  it('keeps statuses and collections answering all the time, and takes every message once (I5, I9)', async () => {
    let working = true;
    const sent: OutgoingMessage[] = [];
    const writing = (async () => {
      for (let number = 100; working; number++) {
        const stampId = randomUUID();
        const batch = [requested(stampId), confirmed(stampId), registered(number, `c${number}`)] as OutgoingMessage[];
        await publisher.publish(batch);
        sent.push(...batch);
      }
    })();
    let answers = 0;
    const reading = (async () => {
      while (working) {
        expect(await findStamp(database, account, joinedId)).toMatchObject({ id: confirmedId, status: 'finalized' });
        expect(await findCollections(database, [{ account, folded: 'photos' }])).toMatchObject([{ created: true }]);
        expect(
          await listCollections(database, { account, onlyPublic: true, isPinned: undefined }, undefined, 10_000),
        ).toContainEqual(expect.objectContaining({ name: 'Notes', created: false }));
        answers += 1;
      }
    })();
    try {
      for (const name of ['gateway.stamps', 'gateway.collections', 'gateway.stamps']) await rebuild(rebuildOf(name));
    } finally {
      working = false;
    }
    await Promise.all([writing, reading]);
    expect(answers).toBeGreaterThan(10);
    await caughtUp(sent);
    const { collections, stamps } = await everything();
    expect(collections).toHaveLength(2 + sent.length / 3);
    const accepted = stamps.filter(({ status }) => status === 'accepted').map(({ id }) => id);
    expect(accepted).toEqual([storedId, former.stored].sort());
  });

  it.each(rebuildSteps)('leaves whole statuses when it ends after “%s”, and can be run again (I8)', async (last) => {
    const grown = await everything();
    await database.query("update stamps set refusal = '{}' where id = $1", [storedId]);
    const damaged = await everything();
    const ended = rebuild(
      rebuildOf('gateway.stamps', {
        onStep(step) {
          if (step === last) throw new Error(`ended after ${step}`);
        },
      }),
    );
    await expect(ended).rejects.toThrow(`ended after ${last}`);
    expect(await everything()).toEqual(last === 'swapped' ? grown : damaged);
    await rebuild(rebuildOf('gateway.stamps'));
    expect(await everything()).toEqual(grown);
  });

  it('is not held up by requests whose messages the broker has dropped: they are forgotten, too (I8)', async () => {
    const admin = new kafkajs.Kafka({ brokers: kafka.brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    const topic = `${kafka.prefix}events.requests`;
    const partitions = (await admin.fetchTopicOffsets(topic))
      .filter(({ high, low }) => high !== low)
      .map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic, partitions });
    await admin.disconnect();
    const plain = [plainJoinedId, plainRefusedId];
    await expect(rebuild(rebuildOf('gateway.stamps'))).rejects.toThrow(/^1 row /);
    await database.query(
      `update requests_without_stamp set decided_at = decided_at - interval '31 days' where request_id = any($1)`,
      [plain],
    );
    await rebuild(rebuildOf('gateway.stamps'));
    const { withoutStamp, stamps, aliases } = await everything();
    expect(withoutStamp.map(({ request_id }) => request_id)).toEqual([joinedId, refusedId].sort());
    expect(stamps.filter(({ id }) => plain.includes(id))).toEqual([]);
    expect(aliases.filter(({ request_id }) => plain.includes(request_id))).toEqual([]);
    const later = outgoing(PlainRequestJoined, { requestId: plainJoinedId, stampId: confirmedId, account }, envelope());
    await publisher.publish([later as OutgoingMessage]);
    await caughtUp([later as OutgoingMessage]);
    expect(await findStamp(database, account, plainJoinedId)).toMatchObject({ id: confirmedId });
    const grown = await everything();
    await rebuild(rebuildOf('gateway.stamps'));
    expect(await everything()).toEqual(grown);
  });

  it('refuses to lose rows that no topic tells of, unless told to', async () => {
    await database.query('insert into stamps (id, on_chain) values ($1, false)', [randomUUID()]);
    await database.query(
      `insert into collections (id, account, cid, name, folded_name, is_pinned, is_public, registered_at)
       values (999999, 'a', 'c', 'n', 'n', false, false, now())`,
    );
    const before = await everything();
    for (const name of ['gateway.stamps', 'gateway.collections'])
      await expect(rebuild(rebuildOf(name))).rejects.toMatchObject({
        retryable: false,
        message: expect.stringMatching(/^1 row .*--allow-fewer/),
      });
    expect(await everything()).toEqual(before);
    for (const name of ['gateway.stamps', 'gateway.collections']) await rebuild(rebuildOf(name, { allowFewer: true }));
    const after = await everything();
    expect([after.stamps.length, after.collections.length]).toEqual([
      before.stamps.length - 1,
      before.collections.length - 1,
    ]);
  });
});
