import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceName, type Stack, serviceNames } from '@indelible/launcher';
import { topics } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import kafkajs from 'kafkajs';
import { createClient } from './support/client.ts';
import { aclsOf, deadLetterOf, type KafkaAccess, readKafkaAccess, writableBy } from './support/kafka-access.ts';
import { type SecuredServers, startSecuredServers } from './support/secured-servers.ts';

jest.setTimeout(240_000);

const main = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');
const users = [...serviceNames, 'provision'] as const;
type User = (typeof users)[number];
const passwords = Object.fromEntries(users.map((user) => [user, randomBytes(18).toString('hex')])) as Record<
  User,
  string
>;
let servers: SecuredServers;
let kafka: SecuredServers['kafka'];
let access: Readonly<Record<ServiceName, KafkaAccess>>;
let prefix: string;
let stack: Stack;

beforeAll(async () => {
  servers = await startSecuredServers('acl', { authorized: passwords });
  ({ kafka, topicPrefix: prefix } = servers);
  access = await readKafkaAccess();
  await withAdmin((admin) => admin.createAcls({ acl: [...aclsOf(access, prefix)] }));
  const secured = (user: User) => ({
    KAFKA_BROKERS: kafka.secured,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: servers.ca,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD: passwords[user],
    LOG_LEVEL: 'debug',
  });
  // allowed for the provisioning user: what the stack itself provisions exists
  const provisioning = {
    ...secured('provision'),
    SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl,
    TOPIC_PREFIX: prefix,
    PUBLIC_TOPIC_PREFIX: `${prefix}indelible.`,
  };
  await promisify(execFile)(process.execPath, [main, 'provision', 'topics'], { env: provisioning, cwd: '/' });
  // staged content is swept as early as possible: this reads others' progress
  const sweeping = { SWEEP_AFTER_SECONDS: '60', SWEEP_INTERVAL_SECONDS: '2' };
  stack = await servers.startStack(
    Object.fromEntries(
      serviceNames.map((name) => [name, { ...secured(name), ...(name === 'storage' ? sweeping : {}) }]),
    ),
  );
});
afterAll(() => servers?.stop());

const clientOf = (user: User) =>
  new kafkajs.Kafka({
    brokers: [kafka.secured],
    ssl: { ca: [servers.certificate.cert] },
    sasl: { mechanism: 'plain', username: user, password: passwords[user] },
    retry: { retries: 2 },
    logLevel: kafkajs.logLevel.NOTHING,
  });

async function withAdmin<Result>(use: (admin: kafkajs.Admin) => Promise<Result>): Promise<Result> {
  const admin = new kafkajs.Kafka({ brokers: [kafka.plain], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Records of a topic that were ever written. */
const written = (topic: string): Promise<number> =>
  withAdmin(async (admin) =>
    (await admin.fetchTopicOffsets(`${prefix}${topic}`)).reduce((sum, { high }) => sum + Number(high), 0),
  );

/** The gauge that storage has for all services, by topic. */
async function countedDeadLetters(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${stack.services.storage.internalUrl}/metrics`)).text();
  const lines = text.matchAll(/^indelible_dead_letters_waiting\{topic="([^"]+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, topic, count]) => [topic, Number(count)]));
}

const all = Object.keys(topics);
/** The outcome of a request: `allowed`, or the reasons against it. */
const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => 'allowed', reasonsOf);
const reasonsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  const { errors = [] } = error as { errors?: readonly unknown[] };
  return [error.message, ...[error.cause, ...errors].map(reasonsOf)].join(' ');
};

describe('services at brokers that allow each its list of the chart, and nothing else', () => {
  it('stamp with content, upload later, and report public events', async () => {
    const { connection } = stack;
    const api = createClient(connection.rootUrl, connection.apiKey);
    const stamped = await api.stamp({ file: new Blob([randomBytes(10_000)]), collection_name: 'Listed' });
    expect([stamped.status, stamped.body.error]).toEqual([201, undefined]);
    expect(stamped.body.file_object?.file_path).toContain('/Listed/stamped/');
    const content = randomBytes(5_000);
    const cid = `0x${sha3.sha3_256(content)}`;
    const later = await api.stamp({ data_cid: cid, collection_name: 'Listed', store_stamped_file: 'false' });
    expect(later.status).toBe(201);
    const uploaded = await api.uploadLater({ file: new Blob([content]), collection_name: 'Listed' }, 'later.bin');
    expect([uploaded.status, uploaded.body.error]).toEqual([201, undefined]);
    expect((await api.verify([cid])).body.stamp_list).toEqual([later.body.commitment_receipt]);
    await eventually(async () => expect(await written('indelible.stamps.v1')).toBeGreaterThanOrEqual(4), {
      timeoutMs: 60_000,
    });
  });

  it('count the dead letters of every topic', async () => {
    const none = Object.fromEntries(all.map((topic) => [topic, 0]));
    await eventually(async () => expect(await countedDeadLetters()).toEqual(none), { timeoutMs: 60_000 });
  });

  it('are refused nothing that they try', async () => {
    // each of those whose progress a service watches was looked at
    const looks = serviceNames.flatMap((name) =>
      (access[name].watches?.groups ?? []).map((group) => `User:${name} DESCRIBE Group:LITERAL:${prefix}${group}`),
    );
    await eventually(async () => expect(await kafka.decisions('Allowed')).toEqual(expect.arrayContaining(looks)), {
      timeoutMs: 60_000,
    });
    expect(await kafka.decisions('Denied')).toEqual([]);
  });

  it('set what they cannot read aside: each reader of a topic may write its dead letters', async () => {
    const producer = new kafkajs.Kafka({ brokers: [kafka.plain], logLevel: kafkajs.logLevel.NOTHING }).producer();
    await producer.connect();
    for (const topic of all) await producer.send({ topic: `${prefix}${topic}`, messages: [{ value: 'unreadable' }] });
    await producer.disconnect();
    const readers = (topic: string) => serviceNames.filter((name) => access[name].reads.includes(topic)).length;
    await eventually(
      async () => {
        for (const topic of all) expect([topic, await written(deadLetterOf(topic))]).toEqual([topic, readers(topic)]);
      },
      { timeoutMs: 60_000 },
    );
    expect(await kafka.decisions('Denied')).toEqual([]);
  });

  it('can write no topic that is not theirs: nobody but stamping says that a stamp is confirmed (I1)', async () => {
    const named = [...all, ...all.map(deadLetterOf), 'indelible.stamps.v1'];
    for (const service of serviceNames) {
      const producer = clientOf(service).producer();
      await producer.connect();
      for (const topic of named.filter((name) => !writableBy(access[service]).includes(name))) {
        const sending = producer.send({ topic: `${prefix}${topic}`, messages: [{ value: 'x' }] });
        expect([service, topic, await outcome(sending)]).toEqual([
          service,
          topic,
          expect.stringMatching(/not authorized to access topics/i),
        ]);
      }
      await producer.disconnect();
    }
  });

  it('can neither look at the groups of others nor make topics', async () => {
    const denied: string[] = [];
    for (const service of serviceNames) {
      const admin = clientOf(service).admin();
      await admin.connect();
      const seen = [...access[service].groups, ...(access[service].watches?.groups ?? [])];
      const groups = serviceNames.flatMap((name) => access[name].groups).filter((group) => !seen.includes(group));
      for (const group of groups) {
        const looking = admin.fetchOffsets({ groupId: `${prefix}${group}`, topics: [`${prefix}events.stamps`] });
        expect([service, group, await outcome(looking)]).not.toEqual([service, group, 'allowed']);
        denied.push(`User:${service} DESCRIBE Group:LITERAL:${prefix}${group}`);
      }
      const making = admin.createTopics({ topics: [{ topic: `${prefix}another` }], waitForLeaders: false });
      expect([service, await outcome(making)]).not.toEqual([service, 'allowed']);
      await admin.disconnect();
    }
    // kafkajs only reports that it found no coordinator: the broker shows why
    await eventually(async () => expect(await kafka.decisions('Denied')).toEqual(expect.arrayContaining(denied)));
    expect(await withAdmin((admin) => admin.listTopics())).not.toContain(`${prefix}another`);
  });
});
