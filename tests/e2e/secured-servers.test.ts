import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMessageBus } from '@indelible/kafka';
import { type Stack, serviceNames } from '@indelible/launcher';
import { createLogger, type KafkaSasl, type TlsSettings } from '@indelible/service-runtime';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import { loopbackCertificate } from './support/certificate.ts';
import { createClient } from './support/client.ts';
import { user } from './support/secured-kafka.ts';
import { type SecuredServers, startSecuredServers } from './support/secured-servers.ts';
import { type Front, httpsFront, postgresFront, tlsFront } from './support/tls-front.ts';
import { client, startTokenServer, unsignedToken } from './support/token-server.ts';

jest.setTimeout(180_000);

const registryUser = 'registrar:a registry s3cret';
const internalToken = randomBytes(24).toString('hex');
let servers: SecuredServers;
let tls: TlsSettings;
let registryUrl: string;
let stack: Stack;

beforeAll(async () => {
  servers = await startSecuredServers('secured');
  const { certificate } = servers;
  tls = { ca: certificate.cert };
  const password = join(servers.directory, 'kafka-password');
  await writeFile(password, `${user.password}\n`);
  const front = async (starting: Promise<Front>): Promise<number> => {
    const { port, stop } = await starting;
    servers.beforeStop(stop);
    return port;
  };
  const databaseUrl = new URL(servers.databaseUrl);
  const redisUrl = new URL(servers.redisUrl);
  const given = new URL(servers.schemaRegistryUrl);
  databaseUrl.port = String(await front(postgresFront(Number(databaseUrl.port), certificate)));
  redisUrl.port = String(await front(tlsFront(Number(redisUrl.port), certificate)));
  const registryPort = await front(httpsFront(given.origin, registryUser, certificate));
  registryUrl = `https://127.0.0.1:${registryPort}${given.pathname.replace(/\/$/, '')}`;

  const secured = {
    DATABASE_URL: databaseUrl.href,
    DATABASE_TLS_CA_FILE: servers.ca,
    KAFKA_BROKERS: servers.kafka.secured,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: servers.ca,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: user.username,
    KAFKA_SASL_PASSWORD_FILE: password,
    SCHEMA_REGISTRY_URL: registryUrl,
    SCHEMA_REGISTRY_USERNAME: 'registrar',
    SCHEMA_REGISTRY_PASSWORD: 'a registry s3cret',
    SCHEMA_REGISTRY_TLS_CA_FILE: servers.ca,
    REDIS_URL: redisUrl.href.replace('redis:', 'rediss:'),
    REDIS_TLS_CA_FILE: servers.ca,
    INTERNAL_TOKEN: internalToken,
  };
  // The services can only connect through the fronts.
  stack = await servers.startStack(Object.fromEntries(serviceNames.map((name) => [name, secured])));
});
afterAll(() => servers?.stop());

describe('TLS, SASL and passwords on every server, and a token between services', () => {
  it('a stamp goes its whole way, and is found at once (I1, I9)', async () => {
    const { connection } = stack;
    const api = createClient(connection.rootUrl, connection.apiKey);
    const content = randomBytes(10_000);
    const { status, body } = await api.stamp({ file: new Blob([content]), collection_name: 'Sealed' });
    expect([status, body.error]).toEqual([201, undefined]);
    expect(body.file_object?.file_path).toContain('/Sealed/stamped/');
    const found = await api.verify([`0x${sha3.sha3_256(content)}`]);
    expect(found.body.stamp_list).toEqual([body.commitment_receipt]);
  });

  it('internal routes are closed without the token, and health and metrics are open', async () => {
    const url = stack.services.verification.internalUrl;
    const lookup = (headers: Record<string, string>) =>
      fetch(`${url}/internal/cursor`, { headers }).then(({ status }) => status);
    expect(await lookup({})).toBe(401);
    expect(await lookup({ authorization: `Bearer ${internalToken}0` })).toBe(401);
    expect(await lookup({ authorization: `Bearer ${internalToken}` })).not.toBe(401);
    for (const path of ['/health/live', '/metrics']) expect((await fetch(`${url}${path}`)).status).toBe(200);
  });

  it('the log says at the start what the settings are in effect, and no secret (I10)', () => {
    const line = servers.log.find((one) => one.startsWith('stamping') && one.includes('"msg":"starting"')) ?? '';
    const { settings } = JSON.parse(line.slice(line.indexOf('{'))) as { settings: Record<string, string> };
    expect(settings).toMatchObject({
      KAFKA_BROKERS: servers.kafka.secured,
      KAFKA_SASL_USERNAME: user.username,
      KAFKA_SASL_PASSWORD: '[redacted]',
      INTERNAL_TOKEN: '[redacted]',
    });
    const whole = servers.log.join('\n');
    for (const secret of [user.password, 'a registry s3cret', internalToken, '-----BEGIN'])
      expect(whole.includes(secret)).toBe(false);
    expect(servers.log.filter((one) => /waiting for .*certificate/.test(one))).toEqual([]);
  });
});

describe('brokers with TLS and SASL', () => {
  /** A request to them: for how many topics dead letters are counted. */
  async function ask(sasl: KafkaSasl, settings: TlsSettings = tls) {
    const bus = createMessageBus({
      brokers: [servers.kafka.secured],
      security: { tls: settings, sasl },
      schemaRegistryUrl: registryUrl,
      clientId: 'test',
      source: 'indelible/test',
      topicPrefix: servers.topicPrefix,
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    return (await bus.deadLetters.count()).size;
  }
  const plain = { mechanism: 'plain', ...user } as const;

  it('take a user by PLAIN, and by a token from an endpoint or a file, which is requested once for all connections', async () => {
    expect(await ask(plain)).toBeGreaterThan(0);
    const tokens = await startTokenServer(3_600);
    try {
      const token = { kind: 'endpoint', url: tokens.url, ...client } as const;
      expect(await ask({ mechanism: 'oauthbearer', token })).toBeGreaterThan(0);
      expect(tokens.granted()).toBe(1);
    } finally {
      await tokens.stop();
    }
    const path = join(servers.directory, 'token');
    await writeFile(path, `${unsignedToken(3_600)}\n`);
    expect(await ask({ mechanism: 'oauthbearer', token: { kind: 'file', path } })).toBeGreaterThan(0);
  });

  it('refuse a wrong password, and are refused with a certificate of another authority: each is reported, and shows no secret (I10)', async () => {
    const reason = (asking: Promise<unknown>) =>
      asking.then(
        () => 'nothing was refused',
        (error: Error) => error.message,
      );
    const wrong = { ...plain, password: 'another s3cret' };
    const reasons = [
      await reason(ask(wrong)),
      await reason(ask({ ...wrong, mechanism: 'scram-sha-512' })),
      await reason(ask(plain, { ca: (await loopbackCertificate()).cert })),
    ];
    expect(reasons[0]).toMatch(/authentication failed/i);
    expect(reasons[1]).toMatch(/authentication failed/i);
    expect(reasons[2]).toMatch(/self-signed|signature|certificate/i);
    expect(reasons.join()).not.toContain('s3cret');
  });
});
