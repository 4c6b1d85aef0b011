import { Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, type TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TooManyReceiptsError } from '../../src/api/look-up-commitments.ts';
import { createRoutes } from '../../src/api/routes.ts';
import { defaultVerifySettings, type VerifyPorts, verifyCollection } from '../../src/api/verify-collection.ts';
import { rowsPerBatch } from '../../src/matching/read-upload.ts';
import { projectBlocks } from '../../src/projections/commitments.ts';
import { type CursorWatch, createCursorWatch } from '../../src/projections/cursor-watch.ts';
import { block, commitment } from '../support/chain.ts';
import {
  closeSessions,
  connect,
  emptyTables,
  logger,
  openSessions,
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
    routes: createRoutes({ database, watch, sessions, logger }),
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
const twoBatches = catLine.repeat(2 * rowsPerBatch);

/** The sessions of large uploads: what they run, and the rows their tables hold. */
const largeSessions = async () =>
  (
    await server.pool.query<{ state: string; backend_xid: string | null; xact_start: Date | null }>(
      `select state, backend_xid, xact_start from pg_stat_activity
       where application_name = 'test large' and datname = current_database()`,
    )
  ).rows;
const temporaryTables = async () =>
  (await server.pool.query(`select relname from pg_class where relpersistence = 't' and relname = 'submitted'`)).rows
    .length;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** What is reachable, in bytes: garbage does not count. */
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
    ['a malformed caller', lastLine({ name: 'x' }).replace('0x', '0X'), 'caller'],
    ['a name without its folded form', lastLine({ name: 'x' }).replace('"folded":"x"', '"folded":null'), 'folded'],
    ['lines after the last', lastLine({ name: 'x' }) + catLine, 'last line'],
    ['nothing', '', 'cut off'],
    ['an end without the last line', catLine, 'cut off'],
    ['a fault after thousands of objects', `${twoBatches}[\n`, `line ${2 * rowsPerBatch + 1}`],
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

  it('under way holds no transaction open: the outbox relays would wait for it', async () => {
    const { request, answered } = openUpload(http.port());
    request.write(twoBatches);
    await eventually(async () => expect(await temporaryTables()).toBe(1));
    await eventually(async () =>
      expect(await largeSessions()).toEqual([{ state: 'idle', backend_xid: null, xact_start: null }]),
    );
    request.end(lastLine({ name: 'Photos' }));
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    const text = (await response.setEncoding('utf8').toArray()).join('');
    expect(JSON.parse(text).collections[0].unmatched_objects).toHaveLength(2 * rowsPerBatch - 1);
  });

  it('that its sender breaks off leaves no table, rows or busy session behind', async () => {
    const { request } = openUpload(http.port());
    request.write(twoBatches);
    await eventually(async () => expect(await largeSessions()).toHaveLength(1));
    request.destroy();
    await eventually(async () => {
      expect(await largeSessions()).toEqual([]);
      expect(await temporaryTables()).toBeLessThanOrEqual(1);
    });
    const { body } = await verify(http.port(), Array(rowsPerBatch + 1).fill(cat), { name: 'Photos' });
    expect(body.collections[0]?.matched_receipts).toHaveLength(1);
    expect(body.collections[0]?.unmatched_objects).toHaveLength(rowsPerBatch);
  });

  it('leaves nothing for the next verification of its session', async () => {
    await verify(http.port(), [cat, cat], { name: 'Photos' });
    const { body } = await verify(http.port(), [cat], { name: 'Photos' });
    expect(body.collections[0]).toMatchObject({ matched_receipts: [{ object_cid: cat.cid }], unmatched_objects: [] });
  });

  it('that waits for a large one’s session does not keep small ones waiting', async () => {
    const slow = openUpload(http.port());
    slow.request.write(twoBatches);
    await eventually(async () => expect(await largeSessions()).toHaveLength(1));
    expect(await verify(http.port(), [cat], { name: 'Photos' })).toMatchObject({ status: 200 });
    expect(await verify(http.port(), Array(rowsPerBatch + 1).fill(cat))).toMatchObject({
      status: 503,
      retryAfter: '1',
    });
    slow.request.destroy();
    await eventually(async () => expect(await largeSessions()).toEqual([]));
  }, 30_000);
});

describe('the answer', () => {
  it('waits for the asked block, whichever replica projects it (I9)', async () => {
    const asked = verify(http.port(), [cat, object('cat', 2)], { name: 'Photos', minBlock: 2 });
    await projectBlocks(database, [block(2, [commitment(0, 'alice', 'Photos', 'cat')])]);
    expect((await asked).body.collections[0]?.matched_receipts).toHaveLength(2);
  });

  it('is 503 with Retry-After when the asked block does not come in time', async () => {
    expect(await verify(http.port(), [cat], { name: 'Photos', minBlock: 9 })).toMatchObject({
      status: 503,
      retryAfter: '1',
      body: { error: 'not available now' },
    });
  });

  it('whose reader leaves in the middle ends its session', async () => {
    const gone = new AbortController();
    const stuck = new Writable({ write: () => gone.abort(new Error('the reader left')) });
    const upload = Readable.from([Buffer.from(twoBatches + lastLine({ name: 'Photos' }))]);
    const asked = verifyCollection({ watch, sessions }, upload, () => stuck, gone.signal);
    await expect(asked).rejects.toThrow('the reader left');
    await eventually(async () => expect(await largeSessions()).toEqual([]));
  });

  it('is refused when it would carry too many receipts', async () => {
    await projectBlocks(database, [
      block(
        2,
        Array.from({ length: 10 }, (_value, i) => commitment(i, 'alice', 'Photos', 'dog')),
      ),
    ]);
    const nowhere = () => new Writable();
    const upload = () => Readable.from([Buffer.from(catLine + lastLine({ name: 'Photos' }))]);
    const asked = verifyCollection({ watch, sessions }, upload(), nowhere, new AbortController().signal, {
      ...defaultVerifySettings,
      maxReceipts: 10,
    });
    await expect(asked).rejects.toThrow(TooManyReceiptsError);
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
        bytes += chunk.length;
        if (chunks++ % 10 === 9) sample();
        setImmediate(done);
      },
    });
    await verifyCollection({ watch, sessions }, Readable.from(lines()), () => sink, new AbortController().signal);
    // Each receipt takes some 350 bytes: held as a whole, the answer alone would take twice the limit.
    expect(bytes).toBeGreaterThan(count * 300);
    expect(chunks).toBeGreaterThan(20);
    expect(peak).toBeLessThan(16 * 2 ** 20);
  }, 180_000);
});
