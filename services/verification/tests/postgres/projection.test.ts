import { randomUUID } from 'node:crypto';
import { type Database, planning } from '@indelible/postgres';
import { readsOfWholeTables, recordStatements, type TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectCollections } from '../../src/projections/collections.ts';
import { findCommitments, projectBlocks } from '../../src/projections/commitments.ts';
import { readCursors } from '../../src/projections/cursors.ts';
import { block, chainId, commitment, finalize, hash, type Message, revert, user } from '../support/chain.ts';
import { connect, emptyTables, verificationDatabase } from '../support/database.ts';

const statements = recordStatements();
let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
});
beforeEach(() => emptyTables(database));
afterAll(async () => {
  await database.close();
  await server.drop();
});

const cursor = async () => (await readCursors(database)).get(chainId);
const found = async (...objects: string[]) =>
  (await findCommitments(database, { cids: objects.map(hash) }, 100))?.map(
    (receipt) => `${receipt.blockNumber}.${receipt.logIndex}`,
  );
/** The whole read model, in a fixed order. */
const everything = async (from: Database = database) => ({
  commitments: (await from.query('select * from commitments order by chain_id, block_number, log_index')).rows,
  cursors: await readCursors(from),
  collections: (await from.query('select * from collections order by account, cid')).rows,
});

describe('the projection of commitments', () => {
  it('answers a commitment with all of its receipt', async () => {
    await projectBlocks(database, [
      block(5, [commitment(3, 'alice', 'photos', 'cat'), commitment(4, 'bob', undefined, 'dog')]),
    ]);
    expect(await findCommitments(database, { cids: [hash('dog'), hash('cat')] }, 100)).toEqual([
      {
        transactionHash: hash('tx of bob undefined dog'),
        logIndex: 4,
        blockNumber: 5,
        blockHash: hash('main 5'),
        blockTime: 1_700_000_005,
        chainId,
        account: user('bob'),
        setCid: `0x${'0'.repeat(64)}`,
        objectCid: hash('dog'),
      },
      expect.objectContaining({ account: user('alice'), setCid: hash('photos'), logIndex: 3 }),
    ]);
  });

  it('takes each message once, whatever comes again and how (I5)', async () => {
    const first = block(1, [commitment(0, 'alice', 'photos', 'cat')]);
    const second = block(2, [commitment(0, 'alice', 'photos', 'cat')]);
    expect(await projectBlocks(database, [first, first])).toMatchObject({ inserted: 1 });
    expect(await projectBlocks(database, [first, second])).toMatchObject({ inserted: 1 });
    expect(await projectBlocks(database, [first, second])).toMatchObject({ inserted: 0 });
    expect(await found('cat')).toEqual(['1.0', '2.0']);
  });

  it('lets one of two replicas with the same messages take them (I5)', async () => {
    const batch = [block(1, [commitment(0, 'alice', 'photos', 'cat')]), block(2)];
    const results = await Promise.all([projectBlocks(database, batch), projectBlocks(database, batch)]);
    expect(results.map((result) => result.inserted).sort()).toEqual([0, 1]);
    expect(await cursor()).toMatchObject({ number: 2, hash: hash('main 2') });
  });

  it('skips a commitment that is there already, and takes the others of its blocks', async () => {
    const blocks = [
      block(1, [commitment(0, 'alice', 'photos', 'cat')]),
      block(2, [commitment(0, 'bob', 'set', 'dog')]),
    ];
    await projectBlocks(database, blocks);
    await database.query('delete from inbox; delete from cursors; delete from commitments where block_number = 2');
    const again = blocks.map((each) => ({ ...each, id: randomUUID() }));
    expect(await projectBlocks(database, again)).toMatchObject({ inserted: 1 });
    expect(await found('cat', 'dog')).toEqual(['1.0', '2.0']);
    expect(await cursor()).toMatchObject({ number: 2 });
  });

  it('counts a block of several parts when its last one is in', async () => {
    const parts = [1, 2, 3].map((part) =>
      block(2, [commitment(part, 'alice', 'set', `object ${part}`)], { part, parts: 3 }),
    );
    await projectBlocks(database, [block(1), ...parts.slice(0, 2)]);
    expect(await cursor()).toMatchObject({ number: 1, open: { number: 2, part: 2 } });
    await projectBlocks(database, parts);
    expect(await cursor()).toMatchObject({ number: 2, open: null });
    expect(await found('object 1', 'object 2', 'object 3')).toEqual(['2.1', '2.2', '2.3']);
  });

  it('deletes what a reorg removed, and continues from the ancestor (I4)', async () => {
    const take = (number: number) => block(number, [commitment(0, 'alice', 'set', `object ${number}`)]);
    await projectBlocks(database, [take(1), take(2), take(3), finalize(1)]);
    const result = await projectBlocks(database, [
      take(4),
      revert(1, 4),
      block(2, [commitment(7, 'alice', 'set', 'object 3')], { fork: 'other', parent: 'main' }),
    ]);
    expect(result).toMatchObject({ inserted: 2, reverted: 3 });
    expect(await found('object 1', 'object 2', 'object 3', 'object 4')).toEqual(['1.0', '2.7']);
    expect(await cursor()).toEqual({ number: 2, hash: hash('other 2'), open: null, finalized: 1 });
  });

  it('reverts its own chain only', async () => {
    const other = block(9, [commitment(0, 'alice', 'set', 'elsewhere')], { chainId: 5 });
    await projectBlocks(database, [block(1), block(2, [commitment(0, 'alice', 'set', 'here')]), other, revert(1, 2)]);
    expect(await found('here', 'elsewhere')).toEqual(['9.0']);
  });

  it('changes nothing when a block is missing, reports which, and continues when it comes (I8, I11)', async () => {
    await projectBlocks(database, [block(1)]);
    const [missing, next] = [block(2), block(3, [commitment(0, 'alice', 'set', 'cat')])];
    expect(await projectBlocks(database, [next])).toMatchObject({ missing: new Map([[chainId, 2]]) });
    expect(await cursor()).toMatchObject({ number: 1 });
    expect(await found('cat')).toEqual([]);
    // Republished, it has another id: the inbox has the old one.
    const again = { ...next, id: randomUUID() };
    expect(await projectBlocks(database, [missing, again])).toMatchObject({ missing: new Map() });
    expect(await found('cat')).toEqual(['3.0']);
  });

  it('takes thousands of commitments in a batch', async () => {
    const logs = Array.from({ length: 25_000 }, (_value, i) => commitment(i, 'alice', 'set', `object ${i % 5_000}`));
    const result = await projectBlocks(database, [block(1, logs.slice(0, 12_500)), block(2, logs.slice(12_500))]);
    expect(result).toMatchObject({ inserted: 25_000 });
    expect(await found('object 4999')).toEqual(['1.4999', '1.9999', '2.14999', '2.19999', '2.24999']);
  });

  it('is the same rebuilt as grown (I8)', async () => {
    const log = (i: number) => commitment(i, `user ${i % 3}`, i % 2 === 0 ? 'set' : undefined, `object ${i % 4}`);
    const history: Message[] = [
      block(1, [log(0), log(1)]),
      block(2, [log(2)], { part: 1, parts: 2 }),
      block(2, [log(3)], { part: 2, parts: 2 }),
      block(3, [log(4)]),
      finalize(1),
      revert(1, 3),
      block(2, [log(5)], { fork: 'other', parent: 'main' }),
      block(3, [log(6), log(7)], { fork: 'other' }),
      finalize(2),
      block(4, [], { fork: 'other' }),
    ];
    for (const message of history) await projectBlocks(database, [message]);
    const grown = await everything();
    for (const size of [2, 3, history.length]) {
      await emptyTables(database);
      for (let start = 0; start < history.length; start += size)
        await projectBlocks(database, history.slice(start, start + size));
      expect(await everything()).toEqual(grown);
    }
    expect(grown.commitments).toHaveLength(5);
  });
});

describe('finding commitments', () => {
  beforeEach(async () => {
    await projectBlocks(database, [
      block(1, [commitment(0, 'alice', 'a', 'cat'), commitment(1, 'bob', 'b', 'cat')]),
      block(2, [commitment(1, 'alice', 'c', 'cat'), commitment(0, 'alice', 'a', 'dog')]),
    ]);
  });

  it('orders as requested, then by block and log', async () => {
    expect(await found('dog', 'nothing', 'cat')).toEqual(['2.0', '1.0', '1.1', '2.1']);
    expect(await found('cat', 'dog')).toEqual(['1.0', '1.1', '2.1', '2.0']);
  });

  it('answers one owner’s only, on request', async () => {
    const receipts = await findCommitments(database, { cids: [hash('cat')], owner: user('bob') }, 100);
    expect(receipts?.map((receipt) => receipt.account)).toEqual([user('bob')]);
  });

  it('answers nothing before the requested block is projected, and an empty list after it (I9)', async () => {
    const commitmentsAt = (number: number, chain = chainId) =>
      findCommitments(database, { cids: [hash('nothing')], minBlock: { chainId: chain, number } }, 100);
    expect(await commitmentsAt(2)).toEqual([]);
    expect(await commitmentsAt(3)).toBeUndefined();
    expect(await commitmentsAt(1, 5)).toBeUndefined();
  });

  it('answers no more than the limit', async () => {
    expect(await findCommitments(database, { cids: [hash('cat'), hash('dog')] }, 2)).toHaveLength(2);
  });
});

describe('the projection of collections', () => {
  it('keeps the newest word on a collection, each message once (I5)', async () => {
    const registered = (name: string, isPublic: boolean) => ({
      id: randomUUID(),
      data: {
        collectionId: 1,
        account: user('alice'),
        cid: hash('photos'),
        name,
        description: null,
        isPinned: false,
        isPublic,
        registeredAt: '2026-01-01T00:00:00.000Z',
      },
    });
    const first = registered('Photos', true);
    await projectCollections(database, [first, registered('PHOTOS', false)]);
    await projectCollections(database, [first]);
    expect((await everything()).collections).toEqual([
      expect.objectContaining({ name: 'PHOTOS', folded_name: 'photos', is_public: false }),
    ]);
  });
});

describe('the statements of all this', () => {
  it('read no whole table, even if they were planned when nothing was there', async () => {
    statements.stop();
    const texts = statements.texts();
    expect(texts.length).toBeGreaterThan(3);
    const whole = await readsOfWholeTables(texts, { url: server.url, schema: 'verification', settings: planning });
    expect(whole).toEqual([]);
  });
});
