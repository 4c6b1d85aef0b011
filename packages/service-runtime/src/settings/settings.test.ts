import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Environment } from '../config.ts';
import {
  brokerSettings,
  databaseSettings,
  internalServerSettings,
  redisSettings,
  routelessServerSettings,
  rpcUrls,
} from './common.ts';
import { inspectSettings, readSettings } from './read-settings.ts';
import { allOf, dependingOn, madeOf, optional } from './setting.ts';
import { choice, integer, text } from './variables.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const password = allOf({
  password: text('PASSWORD', { meaning: 'x', secrecy: 'whole' }),
  size: integer('SIZE', { meaning: 'x', min: 1, max: 9, default: 3 }),
});
const faultsOf = (setting: Parameters<typeof inspectSettings>[0], environment: Environment): string[] =>
  inspectSettings(setting, environment).faults.map((fault) => `${fault.name} ${fault.text}`);

describe('a variable', () => {
  it('may be the file that NAME_FILE names, without the newline at its end', () => {
    expect(
      readSettings(password, { PASSWORD_FILE: fileOf('one', 's3cret \n'), SIZE_FILE: fileOf('two', '7') }),
    ).toEqual({
      password: 's3cret ',
      size: 7,
    });
  });

  it('is a fault when it is given both ways, and when its file is missing or empty', () => {
    const environment = { PASSWORD: 'a', PASSWORD_FILE: fileOf('three', 'b'), SIZE_FILE: join(folder, 'none') };
    expect(faultsOf(password, environment)).toEqual([
      'PASSWORD_FILE and PASSWORD are both given',
      'SIZE_FILE cannot be read: ENOENT',
    ]);
    expect(faultsOf(password, { PASSWORD_FILE: fileOf('four', '\n') })).toEqual(['PASSWORD_FILE names an empty file']);
  });

  it('is shown with its value or default, but for secrets (I10)', () => {
    const address = 'postgres://user:s3cret@host:1/db?password=s3cret';
    const { shown } = inspectSettings(allOf({ ...databaseSettings, rpcUrls, password }), {
      DATABASE_URL: address,
      RPC_URL: 'https://user:s3cret@one/s3cret?key=s3cret, https://two/s3cret',
      PASSWORD: 's3cret',
    });
    expect(shown).toEqual({
      DATABASE_URL: 'postgres://host:1/db',
      RPC_URL: 'https://one,https://two',
      PASSWORD: '[redacted]',
      SIZE: '3',
    });
  });
});

describe('settings made of several', () => {
  const store = dependingOn(choice('KIND', { meaning: 'x', choices: ['disk', 'tape'], default: 'disk' }), {
    disk: text('FOLDER', { meaning: 'x' }),
    tape: integer('REEL', { meaning: 'x', min: 1, max: 9 }),
  });

  it('are read only where a choice wants them, and described with that choice', () => {
    expect(readSettings(store, { FOLDER: '/x', REEL: 'no number' })).toBe('/x');
    expect(faultsOf(store, { KIND: 'tape' })).toEqual(['REEL is required']);
    expect(faultsOf(store, { KIND: 'paper' })).toEqual(['KIND must be one of disk, tape']);
    expect(store.variables.map(({ name, when }) => [name, ...when])).toEqual([
      ['KIND'],
      ['FOLDER', 'KIND=disk'],
      ['REEL', 'KIND=tape'],
    ]);
  });

  it('are not made while one of them has a fault', () => {
    const made = madeOf({ given: optional(integer('SIZE', { meaning: 'x', min: 1, max: 9 })) }, ({ given }) => {
      if (given === undefined) throw new Error('made of nothing');
      return given;
    });
    expect(faultsOf(made, { SIZE: 'large' })).toEqual(['SIZE must be an integer from 1 to 9']);
  });
});

describe('a name that begins with INDELIBLE_', () => {
  it.each([
    ['INDELIBLE_SIZE', 'INDELIBLE_SIZE is not known; is SIZE meant?'],
    ['INDELIBLE_PASWORD', 'INDELIBLE_PASWORD is not known; is PASSWORD meant?'],
    ['INDELIBLE_KAFKA_PORTS', 'INDELIBLE_KAFKA_PORTS is not known; is INDELIBLE_KAFKA_PORT meant?'],
    ['INDELIBLE_COLOUR_OF_EVERYTHING', 'INDELIBLE_COLOUR_OF_EVERYTHING is not known'],
  ])('and means nothing is refused: %s', (name, fault) => {
    expect(faultsOf(password, { PASSWORD: 'a', [name]: 'x' })).toEqual([fault]);
  });

  it('is taken when it is of docker-compose.yml, or what Kubernetes says of a Service', () => {
    const others = {
      INDELIBLE_KAFKA_PORT: '9092',
      INDELIBLE_GATEWAY_SERVICE_HOST: '10.0.0.1',
      INDELIBLE_GATEWAY_SERVICE_PORT_HTTP: '8080',
      INDELIBLE_GATEWAY_PORT: 'tcp://10.0.0.1:8080',
      INDELIBLE_GATEWAY_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    expect(faultsOf(password, { PASSWORD: 'a', ...others })).toEqual([]);
  });
});

describe('secured servers', () => {
  const least = { KAFKA_BROKERS: 'kafka:9093', SCHEMA_REGISTRY_URL: 'https://registry' };
  const broker = allOf(brokerSettings);
  const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

  it('are Kafka with TLS and SASL, whose credentials are wanted with their mechanism', () => {
    const sasl = { KAFKA_TLS: 'true', KAFKA_TLS_CA: pem, KAFKA_SASL_MECHANISM: 'scram-sha-512' };
    const credentials = { KAFKA_SASL_USERNAME: 'ada', KAFKA_SASL_PASSWORD: 's3cret' };
    expect(readSettings(broker, { ...least, ...sasl, ...credentials }).kafkaSecurity).toEqual({
      tls: { ca: pem },
      sasl: { mechanism: 'scram-sha-512', username: 'ada', password: 's3cret' },
    });
    expect(faultsOf(broker, { ...least, ...sasl })).toEqual([
      'KAFKA_SASL_USERNAME is required with KAFKA_SASL_MECHANISM=scram-sha-512',
      'KAFKA_SASL_PASSWORD is required with KAFKA_SASL_MECHANISM=scram-sha-512',
    ]);
    expect(faultsOf(broker, { ...least, KAFKA_TLS_CA: 'no PEM', ...credentials })).toEqual([
      'KAFKA_TLS_CA must be PEM',
      'KAFKA_SASL_USERNAME is given, but KAFKA_SASL_MECHANISM is not',
    ]);
  });

  it('are a registry with user and password, in its address or beside it', () => {
    const beside = { SCHEMA_REGISTRY_USERNAME: 'ada', SCHEMA_REGISTRY_PASSWORD: 'p@ss' };
    const auth = { username: 'ada', password: 'p@ss' };
    expect(readSettings(broker, { ...least, ...beside })).toMatchObject({ schemaRegistryAccess: { auth } });
    const within = { ...least, SCHEMA_REGISTRY_URL: 'https://ada:p%40ss@registry/apis/ccompat/v7' };
    expect(readSettings(broker, within)).toMatchObject({
      schemaRegistryUrl: 'https://registry/apis/ccompat/v7',
      schemaRegistryAccess: { auth },
    });
    expect(faultsOf(broker, { ...within, ...beside })).toHaveLength(1);
  });

  it('are Redis behind sentinels, and Postgres with an authority, whose sslmode must check something', () => {
    const redis = allOf(redisSettings);
    const sentinels = { REDIS_URL: 'rediss://:s3cret@any/0', REDIS_SENTINELS: 'one:26379, [::1]:2' };
    expect(readSettings(redis, { ...sentinels, REDIS_SENTINEL_NAME: 'main' }).redisAccess).toEqual({
      sentinels: { addresses: ['one:26379', '[::1]:2'], name: 'main' },
    });
    expect(faultsOf(redis, sentinels)).toEqual(['REDIS_SENTINEL_NAME is required with REDIS_SENTINELS']);
    const database = allOf(databaseSettings);
    const DATABASE_URL = 'postgres://host/db?sslmode=no-verify';
    expect(faultsOf(database, { DATABASE_URL, DATABASE_TLS_CA: pem })).toEqual([
      'DATABASE_TLS_CA is given, so sslmode in DATABASE_URL must be one of require, verify-ca, verify-full',
    ]);
  });

  it('are internal servers with a token, or an old and a new one, which no fault shows (I10)', () => {
    const server = allOf(internalServerSettings(1));
    const [old, fresh] = ['o'.repeat(32), 'n'.repeat(32)];
    expect(readSettings(server, { INTERNAL_TOKEN: `${fresh}, ${old}` }).internalTokens).toEqual([fresh, old]);
    expect(readSettings(server, {}).internalTokens).toBeUndefined();
    expect(faultsOf(server, { INTERNAL_TOKEN: 's3cret' })).toEqual([
      'INTERNAL_TOKEN must be tokens of 16 to 200 printable ASCII characters, comma-separated',
    ]);
  });

  it('are no internal server without a token where people are served, but on loopback', () => {
    const server = allOf(internalServerSettings(1));
    const production = { NODE_ENV: 'production', INTERNAL_HOST: '0.0.0.0' };
    const refusal = (host: string) => [
      `INTERNAL_TOKEN is required where NODE_ENV is production and INTERNAL_HOST is no loopback address (it is ${host}): anybody in the network could query the internal routes`,
    ];
    expect(faultsOf(server, production)).toEqual(refusal('0.0.0.0'));
    for (const host of ['::', '10.1.2.3', 'localhost.example.com'])
      expect(faultsOf(server, { ...production, INTERNAL_HOST: host })).toEqual(refusal(host));
    for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost', undefined])
      expect(faultsOf(server, { ...production, INTERNAL_HOST: host })).toEqual([]);
    expect(faultsOf(server, { ...production, INTERNAL_TOKEN: 't'.repeat(16) })).toEqual([]);
    expect(faultsOf(server, { ...production, NODE_ENV: undefined })).toEqual([]);
    expect(faultsOf(allOf(routelessServerSettings(1)), production)).toEqual([]);
  });
});
