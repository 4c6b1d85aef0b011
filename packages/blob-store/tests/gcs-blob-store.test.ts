import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { TEST_GCS_TIMEOUT_MS, type TestGcs, testGcs } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BlobStore, createGcsBlobStore } from '../src/index.ts';
import { describeBlobStore, factsOf, isStaged, listed, path, staged, stored } from './blob-store-suite.ts';

let gcs: TestGcs;
let bucket: string;
beforeAll(async () => {
  gcs = await testGcs();
}, TEST_GCS_TIMEOUT_MS);
afterAll(() => gcs?.stop());
beforeEach(async () => {
  bucket = await gcs.createBucket();
});

describe.each([
  ['in a bucket of its own', ''],
  ['under a prefix', 'tenant/one'],
])('the GCS blob store %s', (_name, prefix) => {
  describeBlobStore('as every driver', () => createGcsBlobStore({ bucket, prefix, apiEndpoint: gcs.apiEndpoint }));
});

describe('the GCS blob store', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  /** A store whose bucket answers so. */
  async function storeOn(answer: RequestListener): Promise<BlobStore> {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return createGcsBlobStore({ bucket, apiEndpoint, patience: { operationMs: 500, requestMs: 500, maxRetries: 0 } });
  }
  async function stageAt(store: BlobStore, bytes: number): Promise<void> {
    const writer = await store.stage(randomUUID());
    try {
      for (let sent = 0; sent < bytes; sent += 500_000) await writer.write(Buffer.alloc(500_000));
      await writer.finish();
    } finally {
      await writer.abort();
    }
  }

  it('keeps to its prefix: another one sees nothing of it', async () => {
    const [one, other] = ['one', 'other'].map((prefix) =>
      createGcsBlobStore({ bucket, prefix, apiEndpoint: gcs.apiEndpoint }),
    ) as [BlobStore, BlobStore];
    const id = await staged(one, 'content');
    expect(await isStaged(other, id)).toBe(false);
    expect(await listed(other, new Date(Date.now() + 60_000))).toEqual([]);
    await one.promote(id, path, factsOf('content'));
    expect(await stored(other, path)).toBeUndefined();
  });

  it('refuses a path whose object name would be too long', async () => {
    const store = createGcsBlobStore({ bucket, apiEndpoint: gcs.apiEndpoint });
    const long = Array.from({ length: 6 }, () => 'x'.repeat(169)).join('/');
    await expect(store.open(long)).rejects.toMatchObject({ name: 'InvalidBlobPathError', retryable: false });
  });

  it('gives nothing up because its bucket is unreachable: that is retryable, not missing content (I7)', async () => {
    const store = createGcsBlobStore({ bucket: 'no-such-bucket', apiEndpoint: gcs.apiEndpoint });
    expect(await store.check()).toBe(false);
    const away = { name: 'BlobStoreUnavailableError', retryable: true };
    await expect(store.promote(randomUUID(), path, factsOf('content'))).rejects.toMatchObject(away);
    await expect(stageAt(store, 0)).rejects.toMatchObject(away);
    await expect(stageAt(store, 1_000_000)).rejects.toMatchObject(away);
    await expect(store.requirePlace()).rejects.toMatchObject(away);
  });

  it.each([401, 403, 429, 500, 503])('answers a %i of the bucket with a fault to be tried again', async (status) => {
    const store = await storeOn((_request, response) => void response.writeHead(status).end('{}'));
    const away = { name: 'BlobStoreUnavailableError', retryable: true };
    expect(await store.check()).toBe(false);
    await expect(store.promote(randomUUID(), path, factsOf('content'))).rejects.toMatchObject(away);
    await expect(stageAt(store, 0)).rejects.toMatchObject(away);
    await expect(stageAt(store, 1_000_000)).rejects.toMatchObject(away);
    await expect(store.open(path)).rejects.toMatchObject(away);
  });

  it('answers a request that GCS refuses with a fault that stays', async () => {
    const store = await storeOn((_request, response) => void response.writeHead(400).end('{}'));
    const refused = { name: 'BlobStoreRefusedError', retryable: false };
    await expect(store.promote(randomUUID(), path, factsOf('content'))).rejects.toMatchObject(refused);
    await expect(stageAt(store, 0)).rejects.toMatchObject(refused);
  });

  it('waits for a bucket that never answers no longer than its patience', async () => {
    const store = await storeOn(() => {});
    const away = { name: 'BlobStoreUnavailableError', retryable: true };
    await expect(store.promote(randomUUID(), path, factsOf('content'))).rejects.toMatchObject(away);
    await expect(stageAt(store, 0)).rejects.toMatchObject(away);
    await expect(stageAt(store, 1_000_000)).rejects.toMatchObject(away);
    await expect(store.discard(randomUUID())).rejects.toMatchObject(away);
  });

  it.each([
    ['its own', (mark: string) => mark, { size: 7 }],
    ["another writer's", () => 'another', { name: 'StagedIdTakenError', retryable: false }],
  ])('asks whose the object is when its name is taken: %s', async (_whose, markOf, outcome) => {
    let mark = '';
    const store = await storeOn(async (request, response) => {
      const body = (await buffer(request)).toString();
      mark = /"writer":"([^"]+)"/.exec(body)?.[1] ?? mark;
      const isUpload = request.method === 'POST';
      response.writeHead(isUpload ? 412 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isUpload ? { error: { code: 412 } } : { size: '7', metadata: { writer: markOf(mark) } }),
      );
    });
    const writer = await store.stage(randomUUID());
    await writer.write(Buffer.from('content'));
    expect(await writer.finish().catch((error: unknown) => error)).toMatchObject(outcome);
  });

  it('reports a fault without the address or content of the request', async () => {
    const store = await storeOn(
      (_request, response) =>
        void response
          .writeHead(403, { 'content-type': 'application/json' })
          .end('{"error":{"code":403,"message":"secret"}}'),
    );
    const fault: unknown = await store.open(path).catch((error: unknown) => error);
    expect(fault).toMatchObject({ message: 'stored content cannot be read: 403' });
    expect(fault).not.toHaveProperty('cause');
  });
});
