import { tmpdir } from 'node:os';
import { type RebuildOptions, rebuild, rebuildSteps } from '@indelible/event-store';
// Long, since a rebuild is broken off, and made under traffic, in one grown world.
import { createMessageBus, type MessageBus, type OutgoingMessage, outgoing, type Publisher } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, CollectionRegistered } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { type Component, createLogger, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase, type TestKafka, testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { findCommitments } from '../../src/projections/commitments.ts';
import { readCursors } from '../../src/projections/cursors.ts';
import { beginSnapshot } from '../../src/projections/snapshot.ts';
import { rebuildables } from '../../src/rebuild.ts';
import { createVerificationService } from '../../src/service.ts';
import { block, chainId, commitment, finalize, hash, type Message, revert, user } from '../support/chain.ts';
import { connect, verificationDatabase } from '../support/database.ts';

jest.setTimeout(120_000);

const contracts = [BlockAppended, BlocksReverted, BlocksFinalized, CollectionRegistered];
const faults: unknown[] = [];
/** Faults reported by the live service. */
const complaints: string[] = [];
const logger = createLogger(
  { service: 'verification', level: 'error' },
  { write: (line) => void complaints.push(line) },
);
let server: TestDatabase;
let database: Database;
let kafka: TestKafka;
let bus: MessageBus;
let publisher: Publisher;
let service: readonly Component[] | undefined;

async function openWorld(): Promise<void> {
  server = await verificationDatabase();
  database = connect(server.url);
  kafka = testKafka();
  bus = createMessageBus({
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
  await startService();
}
async function closeWorld(): Promise<void> {
  await stopService();
  await publisher.stop();
  await database.close();
  await kafka.dispose();
  await server.drop();
  expect(faults.splice(0)).toEqual([]);
}

async function startService(): Promise<void> {
  service = createVerificationService(
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
  await startAll(service);
}
async function stopService(): Promise<void> {
  if (service !== undefined) await stopAll(service);
  service = undefined;
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
const publish = (...messages: readonly Message[]) => publisher.publish(messages.map(outgoingOf));

function rebuildOf(name: string, change: Partial<RebuildOptions> = {}): RebuildOptions {
  const config = { ...kafka, databaseUrl: server.url, kafkaBrokers: kafka.brokers, topicPrefix: kafka.prefix };
  const none = (): never => {
    throw new Error('not asked for');
  };
  const one = rebuildables(logger, { topics: () => config, chain: none }).find(
    ({ projection }) => projection.name === name,
  );
  const open = one?.sources.topics;
  if (one === undefined || open === undefined) throw new Error(name);
  return { ...open(), projection: one.projection, logger, signal: new AbortController().signal, ...change };
}

const commitmentsRebuild = (change: Partial<RebuildOptions> = {}) =>
  rebuild(rebuildOf('verification.commitments', change));

const everything = async () => ({
  commitments: (await database.query('select * from commitments order by chain_id, block_number, log_index')).rows,
  cursors: await readCursors(database),
  collections: (await database.query('select * from collections order by account, cid')).rows,
});
const reached = (number: number, name: string) =>
  eventually(
    async () => expect((await readCursors(database)).get(chainId)).toMatchObject({ number, hash: hash(name) }),
    { timeoutMs: 30_000 },
  );
const schemas = async () =>
  (
    await database.query<{ nspname: string }>("select nspname from pg_namespace where nspname like 'verification%'")
  ).rows
    .map(({ nspname }) => nspname)
    .sort();

const log = (i: number) => commitment(i, `user ${i % 3}`, i % 2 === 0 ? 'set' : undefined, `object ${i % 4}`);
const repeated = block(1, [log(0), log(1)]);
/** With repetitions, a block of several parts, and a reorg. */
const history: readonly Message[] = [
  repeated,
  repeated,
  block(2, [log(2)], { part: 1, parts: 2 }),
  block(2, [log(3)], { part: 2, parts: 2 }),
  block(3, [log(4)]),
  finalize(1),
  revert(1, 3),
  block(2, [log(5)], { fork: 'other', parent: 'main' }),
  block(3, [log(6), log(7)], { fork: 'other' }),
  repeated,
  finalize(2),
  block(4, [], { fork: 'other' }),
];
const damage = "update commitments set set_cid = '\\x00' where log_index = 6";

describe('rebuilding the commitments from events.chain', () => {
  let head = 4;
  beforeAll(async () => {
    await openWorld();
    await publish(...history);
    await reached(head, 'other 4');
  });
  afterAll(closeWorld);

  const following = (object = 'object 1') => {
    head += 1;
    return block(head, [commitment(0, 'alice', 'set', object)], { fork: 'other' });
  };
  const grow = async (object?: string) => {
    await publish(following(object));
    await reached(head, `other ${head}`);
  };

  it('makes what was grown, row by row, and leaves nothing else behind (I8)', async () => {
    const grown = await everything();
    expect(grown.commitments).toHaveLength(5);
    expect(await commitmentsRebuild()).toMatchObject({ unit: 'messages', done: history.length, leftOut: 0 });
    expect(await everything()).toEqual(grown);
    expect(await schemas()).toEqual(['verification']);
    expect(await commitmentsRebuild()).toMatchObject({ attempts: 1 });
    expect(await everything()).toEqual(grown);
  });

  it('mends damage: rows lost, changed, and too many (I8)', async () => {
    const grown = await everything();
    await database.query(damage);
    await database.query('delete from commitments where log_index = 0');
    await database.query(
      "insert into commitments select '\\xff', user_address, chain_id, block_number, 99, set_cid, block_time, transaction_hash, block_hash from commitments limit 1",
    );
    await commitmentsRebuild();
    expect(await everything()).toEqual(grown);
  });

  it('continues with the next message, and drops earlier ones when they come again (I5)', async () => {
    await stopService();
    const later = following();
    await publish(later);
    // The shadow is ahead of the live projection.
    await commitmentsRebuild();
    await reached(head, `other ${head}`);
    const before = await everything();
    await startService();
    await publish(later, repeated);
    await grow();
    expect((await everything()).commitments).toHaveLength(before.commitments.length + 1);
  });

  it('frees a projection that has stopped at a gap', async () => {
    await database.query("update cursors set hash = '\\x00'");
    await publish(following());
    await commitmentsRebuild();
    await reached(head, `other ${head}`);
    await grow();
  });

  it.each(rebuildSteps)(
    'leaves a whole read model when it ends after “%s”, and can be run again (I8)',
    async (last) => {
      const grown = await everything();
      await database.query(damage);
      const damaged = await everything();
      const ended = commitmentsRebuild({
        onStep(step) {
          if (step === last) throw new Error(`ended after ${step}`);
        },
      });
      await expect(ended).rejects.toThrow(`ended after ${last}`);
      expect(await everything()).toEqual(last === 'swapped' ? grown : damaged);
      await grow();
      await commitmentsRebuild();
      expect((await everything()).commitments.slice(0, -1)).toEqual(grown.commitments);
      expect(await schemas()).toEqual(['verification']);
    },
  );

  it('removes what a killed rebuild left', async () => {
    await database.query('create schema verification_rebuild create table commitments (x int)');
    await database.query('create schema verification_retired create table commitments (x int)');
    await commitmentsRebuild();
    expect(await schemas()).toEqual(['verification']);
  });

  it('is one at a time in a schema, and the second leaves the first alone', async () => {
    const met: unknown[] = [];
    const first = commitmentsRebuild({
      async onStep(step) {
        if (step === 'filled') met.push(await rebuild(rebuildOf('verification.collections')).catch((error) => error));
      },
    });
    await first;
    expect(met).toEqual([expect.objectContaining({ message: expect.stringContaining('another rebuild') })]);
  });

  it('keeps answering queries, never with less than was reported, while blocks keep coming (I9)', async () => {
    complaints.splice(0);
    const first = head;
    let told = head;
    let answers = 0;
    let working = true;
    const writing = (async () => {
      while (working) {
        await grow(`later ${head + 1}`);
        told = head;
      }
    })();
    const reading = (async () => {
      while (working) {
        const number = told;
        const query = { cids: [hash('object 2'), hash(`later ${number}`)], minBlock: { chainId, number } };
        const found = await findCommitments(database, query, 100);
        expect(found?.map(({ blockNumber }) => blockNumber)).toEqual(number === first ? [3] : [3, number]);
        answers += 1;
      }
    })();
    const before = (await everything()).commitments.length;
    try {
      for (let round = 0; round < 5; round++) await commitmentsRebuild();
    } finally {
      working = false;
    }
    await Promise.all([writing, reading]);
    // Each message took effect once: none came again that the new tables had, and none was left out.
    expect(complaints).toEqual([]);
    expect(told).toBeGreaterThan(first);
    expect(answers).toBeGreaterThan(10);
    const grown = await everything();
    expect(grown.commitments.length).toBeGreaterThanOrEqual(before);
    expect(grown.commitments.filter(({ block_number }) => block_number > first)).toHaveLength(head - first);
  });

  it('waits for a query that takes long, lets others answer meanwhile, and gives up in time with all as it was', async () => {
    const slow = await server.pool.connect();
    try {
      await slow.query('begin isolation level repeatable read read only');
      await slow.query('select count(*) from verification.commitments');
      await expect(commitmentsRebuild({ swapWithinMs: 0 })).rejects.toMatchObject({ retryable: true });
      expect(await findCommitments(database, { cids: [hash('object 2')] }, 10)).toHaveLength(1);
      const waiting = commitmentsRebuild({ swapWithinMs: 60_000 });
      expect(await findCommitments(database, { cids: [hash('object 2')] }, 10)).toHaveLength(1);
      await slow.query('commit');
      expect((await waiting).attempts).toBeGreaterThan(0);
    } finally {
      slow.release();
    }
  });

  it.each(['verification.commitments', 'verification.collections'])(
    'never swaps %s within the snapshot of a verification, whatever that has read yet',
    async (name) => {
      const session = await server.pool.connect();
      try {
        await session.query('set search_path = verification');
        await beginSnapshot(session);
        const before = rebuild(rebuildOf(name, { swapWithinMs: 0 }));
        await expect(before).rejects.toMatchObject({ retryable: true });
        const { rows } = await session.query('select count(*)::int as rows from commitments');
        expect(rows[0].rows).toBe((await everything()).commitments.length);
      } finally {
        await session.query('rollback; reset search_path');
        session.release();
      }
    },
  );

  it('refuses to lose commitments that the topic does not contain, unless requested', async () => {
    await database.query(
      `insert into commitments select object_cid, user_address, chain_id, 0, 50, set_cid, block_time, transaction_hash,
         block_hash from commitments limit 1`,
    );
    const before = await everything();
    await expect(commitmentsRebuild()).rejects.toMatchObject({ retryable: false });
    expect(await everything()).toEqual(before);
    await commitmentsRebuild({ allowFewer: true });
    expect((await everything()).commitments).toHaveLength(before.commitments.length - 1);
  });
});

describe('rebuilding, in a world of its own', () => {
  beforeAll(openWorld);
  afterAll(closeWorld);

  it('makes collections as they were grown, keeps the newest word, and mends damage (I8)', async () => {
    const registered = (name: string, isPublic: boolean, id: number) => ({
      collectionId: id,
      account: user('alice'),
      cid: hash(`set ${id}`),
      name,
      description: null,
      isPinned: false,
      isPublic,
      registeredAt: '2026-01-01T00:00:00.000Z',
    });
    await publisher.publish(
      [registered('Photos', true, 1), registered('Notes', true, 2), registered('PHOTOS', false, 1)].map((data) =>
        outgoing(CollectionRegistered, data, { id: crypto.randomUUID(), time: data.registeredAt }),
      ),
    );
    await eventually(async () => expect((await everything()).collections).toMatchObject([{}, {}]));
    await eventually(async () =>
      expect((await everything()).collections).toContainEqual(expect.objectContaining({ name: 'PHOTOS' })),
    );
    const grown = await everything();
    await database.query("update collections set name = 'x', is_public = true");
    await rebuild(rebuildOf('verification.collections'));
    expect(await everything()).toEqual(grown);
  });

  it('follows a topic with a gap to the gap, as the live projection does; refuses another version’s tables', async () => {
    await publish(block(4));
    await eventually(async () => expect((await readCursors(database)).size).toBe(1));
    const before = await everything();
    await database.query("insert into knex_migrations (name, batch) values ('9999-next', 9)");
    await expect(commitmentsRebuild()).rejects.toMatchObject({ message: expect.stringContaining('migrations') });
    await database.query("delete from knex_migrations where name = '9999-next'");
    await stopService();
    await publish(block(6, [log(9)], {}));
    await commitmentsRebuild();
    expect(await everything()).toEqual(before);
    await startService();
    await publish(block(5), block(6, [log(9)], {}));
    await eventually(async () => expect((await everything()).commitments).toHaveLength(before.commitments.length + 1));
  });
});
