import { randomUUID } from 'node:crypto';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRoutes } from '../../src/service.ts';
import { recordStamps } from '../../src/use-cases/record-stamps.ts';
import { recordUpload } from '../../src/use-cases/record-upload.ts';
import { connect, logger, storageDatabase } from '../support/database.ts';
import { account, claimOf, confirmed, hash, receiptOf } from '../support/stamps.ts';
import { upload } from '../support/uploads.ts';

let server: TestDatabase;
let database: Database;
let http: Component & { port(): number };
const serve = (from: Database): Component & { port(): number } =>
  createInternalServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    components: () => [],
    routes: createRoutes({ database: from, logger }),
  });
beforeAll(async () => {
  server = await storageDatabase();
  database = connect(server.url);
  http = serve(database);
  await startAll([http]);
});
afterAll(async () => {
  await stopAll([http]);
  await database.close();
  await server.drop();
});

const ask = async (path: string, port = http.port()) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, headers: response.headers, body: await response.json() };
};

describe('GET /internal/files/{stampId}', () => {
  it('returns the facts of a file, and its path only once it is stored', async () => {
    const stampId = randomUUID();
    await recordStamps(database, [confirmed(stampId, receiptOf('meow'), claimOf('meow', { size: 4, crc32c: 5 }))]);
    expect(await ask(`/internal/files/${stampId}`)).toMatchObject({
      status: 200,
      body: {
        stampId,
        status: 'pending',
        account,
        setCid: hash('Photos'),
        objectCid: hash('meow'),
        fileName: null,
        filePath: null,
        size: 4,
        crc32c: 5,
        storedAt: null,
      },
    });
  });

  it('answers 404 for a stamp without a file, and 400 for what is no id', async () => {
    expect(await ask(`/internal/files/${randomUUID()}`)).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    expect(await ask('/internal/files/1')).toMatchObject({
      status: 400,
      body: { details: expect.stringContaining('id') },
    });
    expect(await ask('/internal/files/%ff')).toMatchObject({ status: 400 });
    expect(await ask('/internal/other')).toMatchObject({ status: 404, body: { error: 'not found' } });
  });

  it('answers 503 with Retry-After when Postgres is unavailable', async () => {
    const away = connect('postgres://nobody@127.0.0.1:1/none');
    const broken = serve(away);
    await broken.start();
    const answer = await ask(`/internal/files/${randomUUID()}`, broken.port());
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    await broken.stop();
    await away.close();
  });
});

describe('POST /internal/files/lookup', () => {
  const lookUp = async (body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${http.port()}/internal/files/lookup`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };

  it('answers for each stamp with a file what its status resource shows', async () => {
    const stamped = ['pending', 'stored', 'failed'].map((text) => ({ text, stampId: randomUUID() }));
    const [pending, stored, failed] = stamped.map(({ stampId }) => stampId) as [string, string, string];
    await recordStamps(
      database,
      stamped.map(({ text, stampId }) => confirmed(stampId, receiptOf(text), claimOf(text, { size: 4, crc32c: 5 }))),
    );
    await database.query("update files set status = 'success', stored_at = now() where stamp_id = $1", [stored]);
    await database.query("update files set status = 'failed' where stamp_id = $1", [failed]);
    const none = { fileName: null, filePath: null, fault: null, came: 'with-stamp' };
    const { status, body } = await lookUp({ stampIds: [pending, stored, failed, randomUUID(), pending] });
    expect(status).toBe(200);
    const { files } = body as { files: { stampId: string }[] };
    expect(files).toHaveLength(3);
    expect(new Map(files.map((file) => [file.stampId, file]))).toEqual(
      new Map<string, object>([
        [pending, { ...none, stampId: pending, status: 'pending' }],
        [
          stored,
          { ...none, stampId: stored, status: 'success', fileName: expect.any(String), filePath: expect.any(String) },
        ],
        [
          failed,
          { ...none, stampId: failed, status: 'failed', fault: expect.stringContaining('send the content again') },
        ],
      ]),
    );
  });

  it('shows that a file failed only once its stamp is confirmed, as its event does', async () => {
    const stampId = randomUUID();
    await database.query("insert into files (stamp_id, status) values ($1, 'failed')", [stampId]);
    expect(await lookUp({ stampIds: [stampId] })).toEqual({ status: 200, body: { files: [] } });
  });

  it.each([
    ['no id', { stampIds: [] }],
    ['1,001 ids', { stampIds: Array.from({ length: 1_001 }, () => randomUUID()) }],
    ['what is no id', { stampIds: ['1'] }],
    ['nothing', {}],
  ])('is bounded: %s is a 400 (I12)', async (_what, body) => {
    expect(await lookUp(body)).toMatchObject({ status: 400, body: { details: expect.stringContaining('stampIds') } });
  });
});

describe('GET /internal/uploads/{requestId}', () => {
  it('returns the outcome of an upload, and 404 while it is not decided', async () => {
    const receipt = receiptOf('purr');
    const message = upload(claimOf('purr', { size: 4, crc32c: 5 }), [receipt]);
    const path = `/internal/uploads/${message.data.requestId}`;
    expect(await ask(path)).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    await recordUpload(database, message, new Date(), [null]);
    expect(await ask(path)).toMatchObject({ status: 200, body: { state: 'pending' } });
    await database.query("update files set status = 'success', stored_at = now() where status = 'pending'");
    expect(await ask(path)).toMatchObject({
      status: 200,
      body: { state: 'stored', outcome: 'created', receipt, fileName: expect.stringContaining('cat_') },
    });
    await database.query("update files set status = 'failed', stored_at = null");
    expect((await ask(path)).body).toEqual({ state: 'failed' });
    expect(await ask('/internal/uploads/1')).toMatchObject({ status: 400 });
  });
});
