import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TestGcs, testGcsEmulator } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createGcsBlobStore } from '../src/index.ts';
import { describeBlobStore, factsOf, path } from './blob-store-suite.ts';

const run = promisify(execFile);

/** Held equal to fake-gcs-server, on which `gcs-blob-store.test.ts` runs the same suite wherever it can be had. */
let gcs: TestGcs;
let bucket: string;
beforeAll(async () => {
  gcs = await testGcsEmulator();
});
afterAll(() => gcs?.stop());
beforeEach(async () => {
  bucket = await gcs.createBucket();
});

describe.each([
  ['in a bucket of its own', ''],
  ['under a prefix', 'tenant/one'],
])('the GCS blob store on our own emulator %s', (_name, prefix) => {
  describeBlobStore('as every driver', () => createGcsBlobStore({ bucket, prefix, apiEndpoint: gcs.apiEndpoint }));
});

describe('the GCS blob store on our own emulator', () => {
  it('gives nothing up because its bucket is unreachable: that is retryable, not missing content (I7)', async () => {
    const store = createGcsBlobStore({ bucket: 'no-such-bucket', apiEndpoint: gcs.apiEndpoint });
    expect(await store.check()).toBe(false);
    await expect(store.requirePlace()).rejects.toMatchObject({ name: 'BlobStoreUnavailableError' });
    await expect(store.promote(randomUUID(), path, factsOf('content'))).rejects.toMatchObject({
      name: 'BlobStoreUnavailableError',
      retryable: true,
    });
  });

  it('reads much content without a warning of Node: a response has a dozen listeners, however long it is', async () => {
    const bytes = 32 * 1024 * 1024;
    const script = join(import.meta.dirname, 'read-much.ts');
    const { stdout, stderr } = await run(process.execPath, [script, bucket, gcs.apiEndpoint, String(bytes)]);
    expect([stdout, stderr]).toEqual([String(bytes), '']);
  });
});
