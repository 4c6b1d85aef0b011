import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Stack, serviceNames } from '@indelible/launcher';
import { runRedisCommand } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import kafkajs from 'kafkajs';
import { loopbackCertificate } from './support/certificate.ts';
import { createClient } from './support/client.ts';
import { user as formerUser, pem } from './support/secured-kafka.ts';
import { type SecuredServers, startSecuredServers } from './support/secured-servers.ts';

jest.setTimeout(240_000);

const newUser = { username: 'grace', password: 'a-newer-s3cret' };
const formerPassword = randomBytes(12).toString('hex');
const newPassword = randomBytes(12).toString('hex');
let servers: SecuredServers;
let stack: Stack;
/** An ACL user of the shared Redis. */
let redisUser: string;

beforeAll(async () => {
  servers = await startSecuredServers('rotation');
  redisUser = `indelible-${randomBytes(6).toString('hex')}`;
  await changeAcl('SETUSER', redisUser, 'on', `>${formerPassword}`, '~*', '&*', '+@all');
  servers.beforeStop(() => changeAcl('DELUSER', redisUser));
  const environment = { ...settings(formerUser, formerPassword), KAFKA_BROKERS: servers.kafka.secured };
  stack = await servers.startStack(Object.fromEntries(serviceNames.map((name) => [name, environment])));
});
afterAll(() => servers?.stop());

const changeAcl = (...args: readonly string[]) => runRedisCommand(servers.redisUrl, 'ACL', ...args);

const redisUrl = (password: string): string => {
  const url = new URL(servers.redisUrl);
  return Object.assign(url, { username: redisUser, password }).href;
};

const settings = (user: typeof newUser, password: string) => ({
  KAFKA_TLS: 'true',
  KAFKA_TLS_CA_FILE: servers.ca,
  KAFKA_SASL_MECHANISM: 'scram-sha-512',
  KAFKA_SASL_USERNAME: user.username,
  KAFKA_SASL_PASSWORD: user.password,
  REDIS_URL: redisUrl(password),
});

/** Restarts one service after the other; a stamp goes its whole way after each. */
async function restartAll(): Promise<void> {
  for (const name of serviceNames) {
    await stack.services[name].restart(settings(newUser, newPassword));
    await stack.services[name].untilReady(AbortSignal.timeout(60_000));
    expect([name, await stamp()]).toEqual([name, 201]);
  }
}

async function stamp(): Promise<number> {
  const { connection } = stack;
  const api = createClient(connection.rootUrl, connection.apiKey);
  const { status } = await api.stamp({ file: new Blob([randomBytes(1_000)]), collection_name: 'Kept' });
  return status;
}

/** Whether the broker accepts a user whose client trusts this authority. */
async function isLetIn(user: typeof newUser, authority: string): Promise<boolean> {
  const admin = new kafkajs.Kafka({
    brokers: [servers.kafka.secured],
    ssl: { ca: [authority] },
    sasl: { mechanism: 'scram-sha-512', ...user },
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
  }).admin();
  try {
    await admin.connect();
    return true;
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}

describe("Kafka's user, its certificate and Redis' password are changed as docs/rotation.md says, and stamps go on (I6)", () => {
  it('the new ones beside the former ones, the services one after the other, then without the former ones', async () => {
    const { kafka, certificate: former, ca } = servers;
    const next = await loopbackCertificate();
    await kafka.configure(
      ...['--entity-type', 'users', '--entity-name', newUser.username],
      ...['--add-config', `SCRAM-SHA-512=[password=${newUser.password}]`],
    );
    await changeAcl('SETUSER', redisUser, `>${newPassword}`);
    await writeFile(ca, `${former.cert}\n${next.cert}`);
    await restartAll();

    await kafka.configure(
      ...['--entity-type', 'users', '--entity-name', formerUser.username],
      ...['--delete-config', 'SCRAM-SHA-512'],
    );
    await changeAcl('SETUSER', redisUser, `<${formerPassword}`);
    const keystore = join(servers.directory, 'keystore.properties');
    const of = 'listener.name.secured.ssl.keystore';
    await writeFile(
      keystore,
      [`${of}.type=PEM`, `${of}.certificate.chain=${pem(next.cert)}`, `${of}.key=${pem(next.key)}`].join('\n'),
    );
    await kafka.configure('--entity-type', 'brokers', '--entity-name', '1', '--add-config-file', keystore);
    await writeFile(ca, next.cert);
    await restartAll();

    expect(await isLetIn(newUser, next.cert)).toBe(true);
    expect(await isLetIn(formerUser, next.cert)).toBe(false);
    expect(await isLetIn(newUser, former.cert)).toBe(false);
    const whole = servers.log.join('\n');
    for (const secret of [newUser.password, formerUser.password, newPassword, formerPassword])
      expect(whole.includes(secret)).toBe(false);
  });
});
