import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectBlocks } from '../../src/projections/commitments.ts';
import { type CursorWatch, createCursorWatch } from '../../src/projections/cursor-watch.ts';
import { createRoutes } from '../../src/service.ts';
import type { VerifyPorts } from '../../src/use-cases/verify-collection.ts';
import { block, chainId, commitment, hash, user } from '../support/chain.ts';
import {
  closeSessions,
  connect,
  emptyTables,
  logger,
  openSessions,
  roomOf,
  verificationDatabase,
} from '../support/database.ts';
import { lastLine, object, objectLine, verify } from '../support/verify.ts';

let server: TestDatabase;
let database: Database;
let sessions: VerifyPorts['sessions'];
let watch: Component & CursorWatch;
let http: Component & { port(): number };
beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
  sessions = openSessions(server.url);
  watch = createCursorWatch({ url: server.url, schema: database.schema, logger });
  http = createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    components: () => [],
    routes: createRoutes({ database, watch, sessions, ...roomOf(), logger }),
  });
  await startAll([watch, http]);
});
beforeEach(() => emptyTables(database));
afterAll(async () => {
  await stopAll([watch, http]);
  await closeSessions(sessions);
  await database.close();
  await server.drop();
});

const start = 1_700_000_000;

/** Receipts of one CID: of as many users, each in a set of its own, from a second on, three in each. */
const hotReceipts = (cid: Hex, count: number, from = 0) =>
  database.query(
    `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time, transaction_hash, block_hash)
     select $1, substr(sha256(('u' || i)::bytea), 1, 20), $2, 10 + $5 + i / 3, i % 3, sha256(('s' || i)::bytea), $3::bigint + 10 + $5 + i / 3,
       sha256('x'), sha256('y')
     from generate_series(0, $4::int - 1) as i`,
    [bytesOfHex(cid), chainId, start, count, from],
  );

type Listed = {
  readonly stamp_list: readonly {
    readonly user_address: string;
    readonly object_cid: Hex;
    readonly timestamp: string;
  }[];
  readonly next_cursor?: string | null;
};
async function list(body: object): Promise<{ status: number; body: Listed; chunks: number }> {
  const response = await fetch(`http://127.0.0.1:${http.port()}/internal/stamps/verify`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const parts: Uint8Array[] = [];
  for await (const part of response.body ?? []) parts.push(part);
  return { status: response.status, body: JSON.parse(Buffer.concat(parts).toString()), chunks: parts.length };
}

describe('POST /internal/stamps/verify', () => {
  it('lists a CID of 50,000 receipts whole, in the order of time, beside others', async () => {
    await projectBlocks(database, [
      block(1, [commitment(0, 'alice', 'set', 'cat'), commitment(1, 'bob', 'set', 'cat')]),
    ]);
    await hotReceipts(hash('dog'), 50_000);
    const { status, body, chunks } = await list({ cids: [hash('dog'), hash('none'), hash('cat'), hash('dog')] });
    expect([status, body.stamp_list.length, body.next_cursor]).toEqual([200, 50_002, undefined]);
    expect(body.stamp_list.slice(-2).map(({ object_cid }) => object_cid)).toEqual([hash('cat'), hash('cat')]);
    const times = body.stamp_list.slice(0, -2).map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    expect(new Set(body.stamp_list.map(({ user_address }) => user_address)).size).toBe(50_002);
    expect(chunks).toBeGreaterThan(20);
  }, 120_000);

  it.each([1, 2, 7, 1_000, 2_500])(
    'continues after a limit of %i exactly where it ended',
    async (limit) => {
      const count = limit < 10 ? 20 : 4_000;
      await projectBlocks(database, [
        block(1, [commitment(0, 'alice', 'set', 'cat'), commitment(1, 'bob', 'set', 'cat')]),
      ]);
      await hotReceipts(hash('dog'), count);
      const cids = [hash('cat'), hash('none'), hash('dog')];
      const whole = (await list({ cids })).body.stamp_list;
      const pages: unknown[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { body } = await list({ cids, limit, ...(cursor === undefined ? {} : { cursor }) });
        expect(body.stamp_list.length).toBeGreaterThan(0);
        expect(body.stamp_list.length).toBeLessThanOrEqual(limit);
        pages.push(...body.stamp_list);
        cursor = body.next_cursor ?? null;
      }
      expect(whole).toHaveLength(count + 2);
      expect(pages).toEqual(whole);
    },
    60_000,
  );

  it('pages through the receipts of one owner alone', async () => {
    await hotReceipts(hash('cat'), 1_000);
    for (let number = 1; number <= 5; number++)
      await projectBlocks(database, [block(number, [commitment(0, 'alice', `set ${number}`, 'cat')])]);
    const query = { cids: [hash('cat')], owner: user('alice'), limit: 3 };
    const first = (await list(query)).body;
    const second = (await list({ ...query, cursor: first.next_cursor })).body;
    expect([first.stamp_list.length, second.stamp_list.length, second.next_cursor]).toEqual([3, 2, null]);
  });

  it('finds no receipts, and says so', async () => {
    expect((await list({ cids: [hash('cat')] })).body).toEqual({ stamp_list: [] });
    expect((await list({ cids: [hash('cat')], limit: 5 })).body).toEqual({ stamp_list: [], next_cursor: null });
  });

  it('refuses a cursor that is none, or of other CIDs', async () => {
    await hotReceipts(hash('cat'), 2);
    const { next_cursor: cursor } = (await list({ cids: [hash('cat')], limit: 1 })).body;
    for (const wrong of [
      { cids: [hash('dog')], limit: 1, cursor },
      { cids: [hash('cat')], cursor: 'x' },
      { cids: [hash('cat')], cursor: Buffer.from('{"objectCid":1}').toString('base64url') },
    ])
      expect(await list(wrong)).toMatchObject({ status: 400, body: { details: expect.stringContaining('cursor') } });
  });

  it('reads a page of a CID by an index in its order, not the CID’s other receipts', async () => {
    await hotReceipts(hash('cat'), 30_000);
    await server.pool.query('analyze verification.commitments');
    const client = await server.pool.connect();
    try {
      await client.query('set search_path = verification; set enable_seqscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, timing off) select r.* from (values (${`'\\x${hash('cat').slice(2)}'::bytea`}, ${start}::bigint)) as listed (cid, after)
         cross join lateral (
           select * from commitments k where object_cid = listed.cid and (k.block_time, k.chain_id, k.block_number, k.log_index) > (listed.after, -1, -1, -1)
           order by k.block_time, k.chain_id, k.block_number, k.log_index limit 100
         ) as r`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('_by_time');
      expect(plan).not.toMatch(/rows=30000\.?\d* loops=[1-9]/);
    } finally {
      client.release();
    }
  });
});

describe('POST /internal/collections/verify', () => {
  it('takes a set of any size, of few objects and of many', async () => {
    const count = 60_000;
    const inserted = await database.query(
      `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time, transaction_hash, block_hash)
       select sha256(('o' || i)::bytea), $1::bytea, $2::bigint, 10 + i / 100, i % 100, $3::bytea, $4::bigint + i / 100, sha256('x'), sha256('y')
       from generate_series(0, $5::int - 1) as i
       union all
       select sha256('o5'), $1::bytea, $2::bigint, 5, 0, $3::bytea, $4::bigint, sha256('x'), sha256('y')`,
      [bytesOfHex(user('alice')), chainId, bytesOfHex(hash('set')), start, count],
    );
    expect(inserted.rowCount).toBe(count + 1);
    await collectionsOf(['alice'], 'set');
    const { rows } = await database.query<{ cid: Buffer }>(`select sha256('o5') as cid`);
    const five = { cid: hexOfBytes(rows[0]?.cid as Buffer), instant: start, sent: 'five' };
    const few = [object('none', 1), five];
    for (const objects of [
      few,
      [...few, five],
      [...few, five, five],
      [...few, ...Array(8_000).fill(object('no', 2))],
    ]) {
      const fives = objects.filter((one) => one === five).length;
      const matched = Math.min(2, fives);
      const { body } = await verify(http.port(), objects, { name: 'set' });
      const [found] = body.collections;
      expect([
        found?.matched_receipts.length,
        found?.unmatched_objects.length,
        found?.unmatched_receipts.length,
      ]).toEqual([matched, objects.length - matched, count + 1 - matched]);
      const times = found?.unmatched_receipts.map(({ timestamp }) => timestamp) ?? [];
      expect(times).toEqual(times.toSorted());
    }
  }, 120_000);

  it('by a name that 100,000 accounts have takes those that hold objects, and fills up to five', async () => {
    await database.query(
      `insert into collections (account, cid, name, folded_name, is_public)
       select substr(sha256(('u' || i)::bytea), 1, 20), sha256(('s' || i)::bytea), 'default', 'default', true
       from generate_series(0, 99999) as i`,
    );
    await hotReceipts(hash('cat'), 3, 0);
    const { body } = await verify(http.port(), [object('cat', 10)], { name: 'Default' });
    expect(body.collections.map(({ matched_receipts }) => matched_receipts.length)).toEqual([1, 1, 1, 0, 0]);
    expect(new Set(body.collections.map(({ user_address }) => user_address)).size).toBe(5);
  }, 120_000);

  it('infers among 60,000 receipts of one CID without reading all of them for each object', async () => {
    await hotReceipts(hash('cat'), 60_000);
    await projectBlocks(
      database,
      [1, 2].map((number) => block(number, [commitment(0, 'bob', 'own', 'cat')])),
    );
    const elsewhere = Array.from({ length: 5_000 }, (_value, i) => object('cat', 10 + i));
    const none = await verify(http.port(), elsewhere);
    expect(none.body.collections).toMatchObject([{ cid: null, matched_receipts: [] }]);
    const own = await verify(http.port(), [object('cat', 1), object('cat', 2)], { caller: 'bob' });
    expect(own.body.collections).toMatchObject([{ cid: hash('own'), unmatched_objects: [] }]);
  }, 120_000);
});

describe('a million receipts', () => {
  /** Of one object, in one set of alice's, one a second. */
  const count = 1_000_001;
  const isReceipt = /\{"transaction_hash":[^{}]*\}/g;

  /**
   * Counts the receipts in a response after a marker; they must be in time order. Together they exceed the limit of a
   * text.
   */
  async function countReceipts(path: string, body: string, after: string): Promise<number> {
    const headers = { 'content-type': path.includes('collections') ? 'application/x-ndjson' : 'application/json' };
    const response = await fetch(`http://127.0.0.1:${http.port()}${path}`, { method: 'POST', body, headers });
    expect(response.status).toBe(200);
    let text = '';
    let found = 0;
    let last = '';
    let isBehind = false;
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (!isBehind) {
        const at = text.indexOf(after);
        if (at < 0) continue;
        isBehind = true;
        text = text.slice(at + after.length);
      }
      let end = 0;
      for (const match of text.matchAll(isReceipt)) {
        const { timestamp } = JSON.parse(match[0]) as { timestamp: string };
        if (timestamp < last) throw new Error(`${timestamp} comes after ${last}`);
        last = timestamp;
        found++;
        end = match.index + match[0].length;
      }
      text = text.slice(end);
    }
    expect(text).toMatch(/^\]/);
    return found;
  }

  it('and one more, of one CID and one set, are listed, paged and verified: no count is too many (I11)', async () => {
    const inserted = await database.query(
      `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time, transaction_hash, block_hash)
       select $1, $2, $3, 10 + i / 100, i % 100, $4, $5::bigint + i, sha256('x'), sha256('y') from generate_series(0, $6::int - 1) as i`,
      [bytesOfHex(hash('cat')), bytesOfHex(user('alice')), chainId, bytesOfHex(hash('set')), start, count],
    );
    expect(inserted.rowCount).toBe(count);
    await collectionsOf(['alice'], 'set');
    const cids = [hash('cat')];
    expect(await countReceipts('/internal/stamps/verify', JSON.stringify({ cids }), '"stamp_list":[')).toBe(count);
    expect((await list({ cids, limit: 10 })).body.stamp_list).toHaveLength(10);
    const lines = `${objectLine(object('cat', 7))}${lastLine({ name: 'set' })}`;
    const path = `/internal/collections/verify?caller=${user('bob')}`;
    expect(await countReceipts(path, lines, '"unmatched_receipts":[')).toBe(count - 1);
    const { body } = await verify(http.port(), [object('cat', 7)], { name: 'set', unmatchedReceipts: false });
    expect(body.collections).toMatchObject([{ matched_receipts: [{}], unmatched_objects: [], unmatched_receipts: [] }]);
  }, 300_000);
});

const collectionsOf = (owners: readonly string[], name: string) =>
  database.query(
    `insert into collections (account, cid, name, folded_name, is_public)
     select account, $2, $3, $3, true from unnest($1::bytea[]) as account`,
    [owners.map((owner) => bytesOfHex(user(owner))), bytesOfHex(hash(name)), name],
  );
