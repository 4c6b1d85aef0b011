import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const environment = {
  DATABASE_URL: 'postgres://user@host/indelible',
  KAFKA_BROKERS: 'one:9092',
  SCHEMA_REGISTRY_URL: 'http://registry',
  REDIS_URL: 'redis://host',
  STAMPING_URL: 'http://stamping:8101',
  BLOB_STORE_DIRECTORY: '/var/lib/indelible',
};

describe('readConfig', () => {
  it('fills in what has a default: content is swept a day after it was staged', () => {
    expect(readConfig(environment)).toMatchObject({
      topicPrefix: '',
      blobStore: { kind: 'local', directory: '/var/lib/indelible' },
      sweepAfterMs: 86_400_000,
      internalHost: '127.0.0.1',
    });
  });

  it('takes a bucket of Google Cloud Storage instead of a directory', () => {
    const { BLOB_STORE_DIRECTORY: _, ...others } = environment;
    const bucket = { BLOB_STORE: 'gcs', GCS_BUCKET: 'stamped-files', GCS_PREFIX: 'one' };
    expect(readConfig({ ...others, ...bucket }).blobStore).toEqual({
      kind: 'gcs',
      bucket: 'stamped-files',
      prefix: 'one',
    });
    expect(() => readConfig({ ...others, BLOB_STORE: 'gcs' })).toThrow(/GCS_BUCKET is required/);
  });

  it('names every fault at once', () => {
    expect(() => readConfig({ ...environment, BLOB_STORE: 'tape', REDIS_URL: '' })).toThrow(
      /REDIS_URL.*\n.*BLOB_STORE/,
    );
  });
});
