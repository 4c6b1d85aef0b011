import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { projectBlocks } from '../../src/projections/commitments.ts';
import { type CursorWatch, createCursorWatch } from '../../src/projections/cursor-watch.ts';
import { createRoutes } from '../../src/service.ts';
import { lookUpCommitments } from '../../src/use-cases/look-up-commitments.ts';
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

let server: TestDatabase;
let database: Database;
let sessions: VerifyPorts['sessions'];
let watch: Component & CursorWatch;
let http: Component & { port(): number };
beforeAll(async () => {
  server = await verificationDatabase();
  database = connect(server.url);
  sessions = openSessions(server.url);
});
beforeEach(async () => {
  await emptyTables(database);
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
afterEach(() => stopAll([watch, http]));
afterAll(async () => {
  await closeSessions(sessions);
  await database.close();
  await server.drop();
});

const ask = async (path: string, body?: unknown): Promise<{ status: number; headers: Headers; body: unknown }> => {
  const response = await fetch(`http://127.0.0.1:${http.port()}${path}`, {
    ...(body === undefined
      ? {}
      : {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const lookUp = (body: unknown) =>
  ask(
    '/internal/commitments/lookup',
    typeof body === 'object' && body !== null && !('limit' in body) ? { ...body, limit: 10_000 } : body,
  );
const cat = block(1, [commitment(0, 'alice', 'photos', 'cat')]);

describe('POST /internal/commitments/lookup', () => {
  it('answers the receipts of CIDs, those requested twice once', async () => {
    await projectBlocks(database, [cat]);
    const answer = await lookUp({ cids: [hash('none'), hash('cat'), hash('cat')], owner: user('alice') });
    expect(answer).toMatchObject({ status: 200, body: { receipts: [{ objectCid: hash('cat'), blockNumber: 1 }] } });
    expect((await lookUp({ cids: [hash('cat')], owner: user('bob') })).body).toEqual({ receipts: [] });
  });

  it('answers 10,000 CIDs', async () => {
    const logs = Array.from({ length: 10_000 }, (_value, i) => commitment(i, 'alice', 'set', `object ${i}`));
    await projectBlocks(database, [block(1, logs)]);
    const cids = logs.map((log) => log.objectCid).toReversed();
    const { body } = (await lookUp({ cids })) as { body: { receipts: { objectCid: string }[] } };
    expect(body.receipts.map((receipt) => receipt.objectCid)).toEqual(cids);
  });

  it.each([
    ['no CIDs', { cids: [] }, 'cids'],
    ['more than 10,000 CIDs', { cids: Array(10_001).fill(hash('x')) }, 'cids'],
    ['a malformed CID', { cids: [hash('x'), '0x12'] }, 'cids/1'],
    ['an upper-case CID', { cids: [hash('x').toUpperCase().replace('X', 'x')] }, 'cids/0'],
    ['a malformed owner', { cids: [hash('x')], owner: hash('x') }, 'owner'],
    ['half a block', { cids: [hash('x')], minBlock: { chainId } }, 'minBlock'],
    ['an unknown key', { cids: [hash('x')], colour: 1 }, 'additional'],
    ['a set without its owner', { cids: [hash('x')], setCid: hash('x') }, 'owner'],
    ['no room for a receipt', { cids: [hash('x')], limit: 0 }, 'limit'],
    ['no object', '[]', 'object'],
    ['no JSON', '{', undefined],
  ])('refuses %s and names it', async (_name, body, named) => {
    const answer = await lookUp(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid request' } });
    if (named !== undefined) expect(answer.body).toMatchObject({ details: expect.stringContaining(named) });
  });

  it('refuses a body over its limit', async () => {
    const answer = await lookUp(`{"cids":["${'0'.repeat(1_100_000)}"]}`);
    expect(answer).toMatchObject({ status: 413, body: { error: 'body too large' } });
  });

  it('answers at once when the requested block is in', async () => {
    await projectBlocks(database, [cat]);
    const answer = await lookUp({ cids: [hash('cat')], minBlock: { chainId, number: 1 } });
    expect(answer.body).toMatchObject({ receipts: [{ blockNumber: 1 }] });
  });

  it('waits for the requested block, whichever replica projects it (I9)', async () => {
    const replica = connect(server.url);
    await projectBlocks(replica, [block(0)]);
    const response = lookUp({ cids: [hash('cat')], minBlock: { chainId, number: 1 } });
    await projectBlocks(replica, [cat]);
    expect(await response).toMatchObject({ status: 200, body: { receipts: [{ blockNumber: 1 }] } });
    await replica.close();
  });

  it('answers 503 with Retry-After when the requested block does not come in time', async () => {
    const answer = await lookUp({ cids: [hash('cat')], minBlock: { chainId, number: 1 } });
    expect(answer).toMatchObject({ status: 503, body: { error: 'not available now' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('answers 503 when Postgres is unavailable', async () => {
    const away = connect('postgres://nobody@127.0.0.1:1/none');
    const broken = createInternalServer({
      host: '127.0.0.1',
      port: 0,
      logger,
      components: () => [],
      routes: createRoutes({ database: away, watch, sessions, ...roomOf(), logger }),
    });
    await broken.start();
    const response = await fetch(`http://127.0.0.1:${broken.port()}/internal/cursor`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    await broken.stop();
    await away.close();
  });
});

describe('looking up commitments', () => {
  const settings = { waitMs: 10_000, pollMs: 10_000 };

  it('is woken by the notification of a projection, without polling (I9)', async () => {
    // Each block notifies again, until one is received: the connection may not listen yet at first.
    const response = lookUpCommitments(
      { database, watch },
      { cids: [hash('cat')], minBlock: { chainId, number: 1 }, limit: 10 },
      settings,
    );
    let answered = false;
    const ended = response.then(() => {
      answered = true;
    });
    await projectBlocks(database, [cat]);
    for (let number = 2; !answered; number++) await projectBlocks(database, [block(number)]);
    await ended;
    expect(await response).toHaveLength(1);
  });

  it('finds the block by polling when no notification comes', async () => {
    const deaf: CursorWatch = { expect: () => ({ woken: () => new Promise(setImmediate), close() {} }) };
    const response = lookUpCommitments(
      { database, watch: deaf },
      { cids: [hash('cat')], minBlock: { chainId, number: 1 }, limit: 10 },
      settings,
    );
    await projectBlocks(database, [cat]);
    expect(await response).toHaveLength(1);
  });

  it('returns the first of a set of an owner, whatever else there is of the CID', async () => {
    await projectBlocks(database, [
      block(1, [commitment(0, 'bob', 'photos', 'cat'), commitment(1, 'alice', 'other', 'cat')]),
      block(2, [commitment(0, 'alice', 'photos', 'cat'), commitment(1, 'alice', 'photos', 'cat')]),
    ]);
    const found = await lookUpCommitments(
      { database, watch },
      { cids: [hash('cat')], owner: user('alice'), setCid: hash('photos'), limit: 1 },
    );
    expect(found).toMatchObject([{ blockNumber: 2, logIndex: 0, setCid: hash('photos') }]);
  });
});

describe('GET /internal/cursor', () => {
  it('returns how far each chain is projected', async () => {
    expect((await ask('/internal/cursor')).body).toEqual({ cursors: [] });
    await projectBlocks(database, [cat]);
    expect((await ask('/internal/cursor')).body).toEqual({
      cursors: [{ chainId, number: 1, hash: hash('main 1'), finalized: null }],
    });
  });

  it('answers unknown paths with an error body', async () => {
    expect(await ask('/internal/nothing')).toMatchObject({ status: 404, body: { error: 'not found' } });
  });
});
