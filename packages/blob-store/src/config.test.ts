import { type Environment, readSettings } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { type BlobStoreConfig, blobStoreSettings, createBlobStore } from './config.ts';
import { InvalidBlobPathError } from './errors.ts';

const configOf = (environment: Environment): BlobStoreConfig => readSettings(blobStoreSettings, environment);

describe('the settings of the blob store', () => {
  it('takes the local store when nothing else is said, and asks for nothing of GCS', () => {
    expect(configOf({ BLOB_STORE_DIRECTORY: '/blobs', GCS_BUCKET: 'A BUCKET' })).toEqual({
      kind: 'local',
      directory: '/blobs',
    });
  });

  it('takes the free space to leave, in bytes', () => {
    const environment = { BLOB_STORE_DIRECTORY: '/blobs', BLOB_STORE_MIN_FREE_BYTES: '1000' };
    expect(configOf(environment)).toEqual({ kind: 'local', directory: '/blobs', minFreeBytes: 1_000 });
  });

  it('takes a bucket, without a directory', () => {
    const config = configOf({ BLOB_STORE: 'gcs', GCS_BUCKET: 'stamped-files' });
    expect(config).toEqual({ kind: 'gcs', bucket: 'stamped-files', prefix: '' });
    expect(() => createBlobStore(config)).not.toThrow();
    expect(() => createBlobStore({ kind: 'gcs', bucket: 'b-1', prefix: '..' })).toThrow(InvalidBlobPathError);
  });

  it('takes a prefix in the bucket, and the address of an emulator', () => {
    const environment = { BLOB_STORE: 'gcs', GCS_BUCKET: 'b-1', GCS_PREFIX: 'a/b', GCS_API_ENDPOINT: 'http://host:1' };
    expect(configOf(environment)).toMatchObject({ prefix: 'a/b', apiEndpoint: 'http://host:1' });
  });

  it.each([
    [{}, /BLOB_STORE_DIRECTORY is required/],
    [{ BLOB_STORE_DIRECTORY: '/blobs', BLOB_STORE_MIN_FREE_BYTES: 'much' }, /BLOB_STORE_MIN_FREE_BYTES must be/],
    [{ BLOB_STORE: 'tape' }, /BLOB_STORE must be one of local, gcs/],
    [{ BLOB_STORE: 'gcs' }, /GCS_BUCKET is required/],
    [{ BLOB_STORE: 'gcs', GCS_BUCKET: 'gs://bucket' }, /GCS_BUCKET must be/],
    [{ BLOB_STORE: 'gcs', GCS_BUCKET: 'bucket', GCS_PREFIX: '/a' }, /GCS_PREFIX must be/],
    [{ BLOB_STORE: 'gcs', GCS_BUCKET: 'bucket', GCS_PREFIX: 'a/../b' }, /GCS_PREFIX must be/],
    [{ BLOB_STORE: 'gcs', GCS_BUCKET: 'bucket', GCS_PREFIX: 'a'.repeat(201) }, /GCS_PREFIX must be/],
    [{ BLOB_STORE: 'gcs', GCS_BUCKET: 'bucket', GCS_API_ENDPOINT: 'host' }, /GCS_API_ENDPOINT must be a URL/],
  ])('names the variable at fault: %j', (environment, fault) => {
    expect(() => configOf(environment)).toThrow(fault);
  });
});
