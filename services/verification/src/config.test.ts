import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from './config.ts';

const environment = {
  DATABASE_URL: 'postgres://user@host/indelible',
  KAFKA_BROKERS: 'one:9092, two:9092',
  SCHEMA_REGISTRY_URL: 'http://registry',
  INTERNAL_PORT: '8080',
};

describe('readConfig', () => {
  it('fills in what has a default', () => {
    expect(readConfig(environment)).toEqual({
      databaseUrl: 'postgres://user@host/indelible',
      kafkaBrokers: ['one:9092', 'two:9092'],
      schemaRegistryUrl: 'http://registry',
      topicPrefix: '',
      kafkaSessionTimeoutMs: 10_000,
      indexerUrl: 'http://127.0.0.1:8102',
      internalHost: '127.0.0.1',
      internalPort: 8080,
      leaveMs: 2000,
      spoolDirectory: tmpdir(),
      spoolMaxBytes: 4 * 2 ** 30,
      logLevel: 'info',
    });
  });

  it('names every fault at once', () => {
    expect(() => readConfig({ ...environment, INTERNAL_PORT: '-1', DATABASE_URL: '' })).toThrow(
      /DATABASE_URL.*\n.*INTERNAL_PORT/,
    );
  });
});
