import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const least = {
  DATABASE_URL: 'postgresql://x/y',
  KAFKA_BROKERS: 'x:1',
  SCHEMA_REGISTRY_URL: 'http://x',
  REDIS_URL: 'redis://x',
  VERIFICATION_URL: 'http://x',
  INDEXER_URL: 'http://x',
  STAMPING_URL: 'http://x',
  STORAGE_URL: 'http://x',
  NOTIFICATIONS_URL: 'http://x',
  BLOB_STORE_DIRECTORY: '/x',
  CHAIN_ID: '1',
};

describe('CORS_ORIGINS', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['https://app.example.com', ['https://app.example.com']],
    ['HTTPS://App.example.com , http://localhost:3000', ['https://app.example.com', 'http://localhost:3000']],
    ['http://[::1]:3000,*', ['http://[::1]:3000', '*']],
  ])('%j is %j; without any, CORS is off', (given, origins) => {
    expect(readConfig({ ...least, CORS_ORIGINS: given }).corsOrigins).toEqual(origins);
  });
  it.each(['app.example.com', 'https://app.example.com/', 'https://a b', 'https://a,,https://b', 'null'])(
    '%j is a fault that names it',
    (given) => {
      expect(() => readConfig({ ...least, CORS_ORIGINS: given })).toThrow('CORS_ORIGINS');
    },
  );
});

describe('BLOB_STORE', () => {
  it('may be a bucket of Google Cloud Storage, which then needs no directory', () => {
    const { BLOB_STORE_DIRECTORY: _, ...others } = least;
    const { blobStore } = readConfig({ ...others, BLOB_STORE: 'gcs', GCS_BUCKET: 'stamped-files' });
    expect(blobStore).toEqual({ kind: 'gcs', bucket: 'stamped-files', prefix: '' });
    expect(() => readConfig({ ...others, BLOB_STORE: 'gcs' })).toThrow('GCS_BUCKET is required');
    expect(() => readConfig(others)).toThrow('BLOB_STORE_DIRECTORY is required');
  });
});

describe('WAIT_LIMIT_MS', () => {
  it('is 25 s by default: clients in the wild wait 30 s', () => {
    expect(readConfig(least).waitLimitMs).toBe(25_000);
  });
});

describe('RATE_LIMIT_PER_SECOND', () => {
  it('is 1,000 a second with a burst of 5,000 by default, and no limit with 0', () => {
    expect(readConfig(least).rateLimit).toEqual({ perSecond: 1_000, burst: 5_000 });
    expect(readConfig({ ...least, RATE_LIMIT_PER_SECOND: '0' }).rateLimit).toBeUndefined();
    const own = { RATE_LIMIT_PER_SECOND: '20', RATE_LIMIT_BURST: '40' };
    expect(readConfig({ ...least, ...own }).rateLimit).toEqual({ perSecond: 20, burst: 40 });
  });
});

describe('the daily quotas of an account', () => {
  it('allow one key its full rate by default, and are none with 0', () => {
    const { accountStampsPerDay, accountBytesPerDay, rateLimit, maxFileBytes } = readConfig(least);
    expect(accountStampsPerDay).toBeGreaterThan((rateLimit?.perSecond ?? 0) * 86_400);
    expect(accountBytesPerDay).toBeGreaterThan(100 * maxFileBytes);
    expect(readConfig({ ...least, ACCOUNT_STAMPS_PER_DAY: '0', ACCOUNT_BYTES_PER_DAY: '0' })).toMatchObject({
      accountStampsPerDay: undefined,
      accountBytesPerDay: undefined,
    });
  });
});
