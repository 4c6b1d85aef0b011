import { randomUUID } from 'node:crypto';
import { type TestGcs, testGcsEmulator } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createGcsBlobStore } from '../src/index.ts';
import { describeBlobStore, factsOf, path } from './blob-store-suite.ts';

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
  it('gives nothing up because its bucket is away: that is retryable, not missing content (I7)', async () => {
    const store = createGcsBlobStore({ bucket: 'no-such-bucket', apiEndpoint: gcs.apiEndpoint });
    expect(await store.check()).toBe(false);
    await expect(store.promote(randomUUID(), path, factsOf('content'))).rejects.toMatchObject({
      name: 'BlobStoreUnavailableError',
      retryable: true,
    });
  });
});
