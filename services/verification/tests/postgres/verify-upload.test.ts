import { PassThrough, Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bytesOfHex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFairSeats } from '../../src/matching/fair-seats.ts';
import { projectBlocks } from '../../src/projections/commitments.ts';
import { type CursorWatch, createCursorWatch } from '../../src/projections/cursor-watch.ts';
import { createRoutes } from '../../src/service.ts';
import { spoolDefaults } from '../../src/spooling/spool.ts';
import { signOfLifeMs } from '../../src/use-cases/send-answer.ts';
import { defaultVerifySettings, type VerifyPorts, verifyCollection } from '../../src/use-cases/verify-collection.ts';
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
import { lastLine, object, objectLine, openUpload, register, send, verify } from '../support/verify.ts';

let server: TestDatabase;
let database: Database;
let sessions: VerifyPorts['sessions'];
let watch: Component & CursorWatch;
let http: Component & { port(): number };
beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
  // One session: whatever is left behind by one verification meets the next.
  sessions = openSessions(server.url, 1);
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
beforeEach(async () => {
  await emptyTables(database);
  await register(database, [{ owner: 'alice', name: 'Photos' }]);
  await projectBlocks(database, [block(1, [commitment(0, 'alice', 'Photos', 'cat')])]);
});
afterAll(async () => {
  await stopAll([watch, http]);
  await closeSessions(sessions);
  await database.close();
  await server.drop();
});

const cat = object('cat', 1);
const catLine = objectLine(cat);
/** More objects are matched in the sessions of large uploads. */
const largeUpload = 5_000;
const many = catLine.repeat(2 * largeUpload);
const alice = user('alice');

const never = new AbortController().signal;

/** Adds receipts of a set, each of an object and a second of its own, after the first block. */
const receiptsOf = (owner: string, set: string, count: number) =>
  database.query(
    `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time, transaction_hash, block_hash)
     select sha256(i::text::bytea), $1, $2, 1000 + i, 0, $3, 1800000000 + i, sha256('x'), sha256('y') from generate_series(1, $4::int) as i`,
    [bytesOfHex(user(owner)), chainId, bytesOfHex(hash(set)), count],
  );

const temporaryTables = async () =>
  (await server.pool.query(`select relname from pg_class where relpersistence = 't' and relname = 'submitted'`)).rows
    .length;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** Reachable bytes: garbage does not count. */
function heldMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('an upload', () => {
  it.each([
    ['a line that is no JSON', `${catLine}[\n`, 'line 2'],
    ['an object without a CID', '["12",1,"x"]\n', 'line 1 has no CID'],
    ['an object without an instant', `["${cat.cid.slice(2)}",1.5,"x"]\n`, 'line 1 has no instant'],
    ['an object with a NUL', `["${cat.cid.slice(2)}",1,"\\u0000"]\n`, 'line 1 has no timestamp'],
    ['an object of four values', `["${cat.cid.slice(2)}",1,"x",1]\n`, 'line 1'],
    ['an endless line', 'x'.repeat(100_000), 'line 1 is longer'],
    ['an unknown key', lastLine({ name: 'x' }).replace('{', '{"limit":1,'), 'additional'],
    ['a malformed block', lastLine({ name: 'x', minBlock: -1 }), 'minBlock'],
    ['a name without its folded form', lastLine({ name: 'x' }).replace('"folded":"x"', '"folded":null'), 'folded'],
    ['lines after the last', lastLine({ name: 'x' }) + catLine, 'last line'],
    ['nothing', '', 'cut off'],
    ['an end without the last line', catLine, 'cut off'],
    ['a fault after thousands of objects', `${many}[\n`, `line ${2 * largeUpload + 1}`],
  ])('with %s is a 400 that names it', async (_case, body, named) => {
    expect(await send(http.port(), body)).toMatchObject({
      status: 400,
      body: { error: 'invalid request', details: expect.stringContaining(named) },
    });
  });

  it('of another content type is a 400', async () => {
    const response = await fetch(`http://127.0.0.1:${http.port()}/internal/collections/verify`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
  });

  it.each(['', '0X12', `${alice}&caller=${alice}`])('of the caller "%s" is a 400', async (caller) => {
    const response = await fetch(`http://127.0.0.1:${http.port()}/internal/collections/verify?caller=${caller}`, {
      method: 'POST',
      body: lastLine({ name: 'Photos' }),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(response.status).toBe(400);
  });

  it('of more than 1,000,000 objects is a 413', async () => {
    const part = Buffer.from(catLine.repeat(1_000));
    let parts = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (parts++ < 1_001) controller.enqueue(part);
        else controller.close();
      },
    });
    expect(await send(http.port(), endless)).toMatchObject({ status: 413, body: { error: 'body too large' } });
  }, 180_000);

  it('under way holds no session', async () => {
    const { request, answered } = openUpload(http.port());
    request.write(many);
    expect((await verify(http.port(), Array(largeUpload + 1).fill(cat), { name: 'Photos' })).status).toBe(200);
    request.end(lastLine({ name: 'Photos' }));
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    const text = (await response.setEncoding('utf8').toArray()).join('');
    expect(JSON.parse(text).collections[0].unmatched_objects).toHaveLength(2 * largeUpload - 1);
  });

  it('that its sender breaks off leaves no room taken, and no busy session', async () => {
    const room = roomOf();
    const upload = new PassThrough();
    const reads = verifyCollection(
      { watch, sessions, ...room },
      { caller: alice, upload },
      () => new PassThrough(),
      never,
    );
    upload.write(many);
    await eventually(async () => expect(room.spooling.budget.used()).toBeGreaterThan(0));
    upload.destroy();
    await expect(reads).rejects.toThrow();
    expect(room.spooling.budget.used()).toBe(0);
    expect(await temporaryTables()).toBeLessThanOrEqual(1);
  });

  it('leaves nothing for the next verification of its session', async () => {
    await verify(http.port(), [cat, cat], { name: 'Photos' });
    const { body } = await verify(http.port(), [cat], { name: 'Photos' });
    expect(body.collections[0]).toMatchObject({ matched_receipts: [{ object_cid: cat.cid }], unmatched_objects: [] });
  });

  it('that is not sent further, with eleven others of its account, holds up no other account (I12)', async () => {
    const slow = Array.from({ length: 12 }, () => openUpload(http.port()));
    for (const { request } of slow) request.write(many);
    for (const objects of [[cat], Array(largeUpload + 1).fill(cat)])
      expect(await verify(http.port(), objects, { caller: 'bob', name: 'Photos', owner: 'alice' })).toMatchObject({
        status: 200,
        body: { collections: [{ matched_receipts: [{ object_cid: cat.cid }] }] },
      });
    for (const { request } of slow) request.destroy();
  }, 60_000);

  it.each([
    ['short', catLine],
    ['longer than what is read of it', many],
  ])(
    'that waits for its place is taken out of the queue when its sender leaves: one that is %s',
    async (_what, lines) => {
      const seats = createFairSeats({ seats: 1, perAccount: 1, maxWaiting: 2, waitMs: 600_000 });
      let taken = 0;
      let left = 0;
      const places: VerifyPorts['places'] = {
        async take(account, signal) {
          taken++;
          return await seats.take(account, signal).catch((error: unknown) => {
            left++;
            throw error;
          });
        },
      };
      const routes = createRoutes({ database, watch, sessions, ...roomOf(), places, logger });
      const own = createInternalServer({ host: '127.0.0.1', port: 0, logger, components: () => [], routes });
      await startAll([own]);
      try {
        const [seated, waiting] = [openUpload(own.port()), openUpload(own.port())];
        for (const { request } of [seated, waiting]) request.write(lines);
        await eventually(() => expect(taken).toBe(2));
        waiting.request.destroy();
        // Where its body is not read, the next sign of life finds it gone.
        await eventually(() => expect(left).toBe(1), { timeoutMs: 4 * signOfLifeMs });
        seated.request.destroy();
      } finally {
        await stopAll([own]);
      }
    },
    60_000,
  );

  it('without room is a 503, whose room is free afterwards', async () => {
    const room = roomOf(spoolDefaults.segmentBytes);
    const response = verifyCollection(
      { watch, sessions, ...room },
      { caller: alice, upload: Readable.from([Buffer.from(many)]) },
      () => new PassThrough(),
      never,
    );
    await expect(response).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
    expect(room.spooling.budget.used()).toBe(0);
  });
});

describe('the answer', () => {
  it('waits for the requested block, whichever replica projects it (I9)', async () => {
    const response = verify(http.port(), [cat, object('cat', 2)], { name: 'Photos', minBlock: 2 });
    await projectBlocks(database, [block(2, [commitment(0, 'alice', 'Photos', 'cat')])]);
    expect((await response).body.collections[0]?.matched_receipts).toHaveLength(2);
  });

  it('is 503 with Retry-After when the requested block does not come in time', async () => {
    expect(await verify(http.port(), [cat], { name: 'Photos', minBlock: 9 })).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { error: 'not available now' },
    });
  });

  it('waits for the collection that the caller knows of, and is 503 when it does not come (I9)', async () => {
    const response = verify(http.port(), [cat], { name: 'Notes', minCollection: 'Notes' });
    await register(database, [{ owner: 'alice', name: 'Notes' }]);
    expect((await response).body.collections[0]).toMatchObject({ name: 'Notes', user_address: expect.any(String) });
    expect(await verify(http.port(), [cat], { name: 'Photos', minCollection: 'Never' })).toMatchObject({ status: 503 });
    // Another account's of that CID is another collection.
    expect(await verify(http.port(), [cat], { caller: 'bob', minCollection: 'Photos' })).toMatchObject({ status: 503 });
  });

  it('whose reader leaves in the middle leaves no session and no room taken', async () => {
    const room = roomOf();
    const gone = new AbortController();
    const stuck = new Writable({ write: () => gone.abort(new Error('the reader left')) });
    const upload = Readable.from([Buffer.from(many + lastLine({ name: 'Photos' }))]);
    const response = verifyCollection(
      { watch, sessions, ...room },
      { caller: alice, upload },
      () => stuck,
      gone.signal,
    );
    await expect(response).rejects.toThrow('the reader left');
    expect(room.spooling.budget.used()).toBe(0);
    expect(await verify(http.port(), Array(largeUpload + 1).fill(cat), { name: 'Photos' })).toMatchObject({
      status: 200,
    });
  });

  it('that is not read holds no session: others of the only one are answered, and it comes whole (I12)', async () => {
    await receiptsOf('alice', 'Photos', 200_000);
    const slow = openUpload(http.port());
    slow.request.end(catLine + lastLine({ name: 'Photos' }));
    const [response] = await slow.answered;
    for (let i = 0; i < 3; i++)
      expect(await verify(http.port(), [cat], { caller: 'bob', name: 'Nothing' })).toMatchObject({ status: 200 });
    const text = (await response.setEncoding('utf8').toArray()).join('');
    const [found] = JSON.parse(text).collections;
    expect([found.matched_receipts.length, found.unmatched_receipts.length]).toEqual([1, 200_000]);
  }, 120_000);

  it('that is not read and for which no room is left is broken off, and its session is free', async () => {
    await receiptsOf('alice', 'Photos', 20_000);
    const stuck = new Writable({ write: () => {} });
    const response = verifyCollection(
      { watch, sessions, ...roomOf(spoolDefaults.segmentBytes) },
      { caller: alice, upload: Readable.from([Buffer.from(catLine + lastLine({ name: 'Photos' }))]) },
      () => stuck,
      never,
      { ...defaultVerifySettings, roomMs: 100, stillMs: 200 },
    );
    await expect(response).rejects.toMatchObject({ name: 'UnavailableError' });
    expect(await verify(http.port(), [cat], { caller: 'bob', name: 'Nothing' })).toMatchObject({ status: 200 });
  }, 60_000);

  it('leaves out the unmatched receipts when they are not wanted, of few objects and of many', async () => {
    await receiptsOf('alice', 'Photos', 100);
    for (const objects of [[cat], [cat, object('none', 5)], Array(200).fill(cat)]) {
      const verifyWith = (unmatchedReceipts: boolean) =>
        verify(http.port(), objects, { name: 'Photos', unmatchedReceipts });
      const [whole, without] = [await verifyWith(true), await verifyWith(false)];
      expect(whole.body.collections[0]?.unmatched_receipts).toHaveLength(100);
      expect(without.body.collections).toEqual([{ ...whole.body.collections[0], unmatched_receipts: [] }]);
    }
  });

  it('to 100,000 objects is streamed: neither upload nor answer is held in memory', async () => {
    const count = 100_000;
    const perBlock = 20_000;
    for (let number = 2; number < 2 + count / perBlock; number++)
      await projectBlocks(database, [
        block(
          number,
          Array.from({ length: perBlock }, (_value, i) => commitment(i, 'alice', 'Photos', `${number} ${i}`)),
        ),
      ]);
    const before = heldMemory();
    let peak = 0;
    const sample = () => {
      peak = Math.max(peak, heldMemory() - before);
    };
    function* lines(): Generator<Buffer> {
      for (let i = 0; i < count; i++) {
        if (i % 25_000 === 24_999) sample();
        const number = 2 + Math.floor(i / perBlock);
        yield Buffer.from(objectLine(object(`${number} ${i % perBlock}`, number)));
      }
      yield Buffer.from(lastLine());
    }
    let bytes = 0;
    let chunks = 0;
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        // A sample collects all garbage: one per MiB.
        if ((bytes % 2 ** 20) + chunk.length >= 2 ** 20) sample();
        bytes += chunk.length;
        chunks++;
        setImmediate(done);
      },
    });
    await verifyCollection(
      { watch, sessions, ...roomOf() },
      { caller: alice, upload: Readable.from(lines()) },
      () => sink,
      never,
    );
    // A receipt takes about 350 bytes: held whole, the response alone would take twice the limit.
    expect(bytes).toBeGreaterThan(count * 300);
    expect(chunks).toBeGreaterThan(20);
    expect(peak).toBeLessThan(16 * 2 ** 20);
  }, 180_000);
});
