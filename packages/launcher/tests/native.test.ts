import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import {
  type Addresses,
  callRpc,
  createInfrastructure,
  discardInfrastructure,
  type Infrastructure,
  identifyProcess,
  waitUntil,
} from '../src/servers.ts';
import { giveOwnPorts } from './own-ports.ts';

const TOPIC = 'kept';
const SCHEMA = JSON.stringify({ type: 'object', properties: { cid: { type: 'string' } } });
const downloadsDir = resolve(import.meta.dirname, '../../../.local/downloads');
const dataDir = await mkdtemp(join(tmpdir(), 'indelible-native-'));
await giveOwnPorts(dataDir);
const started: Infrastructure[] = [];

/** The whole set as processes, with a chain whose blocks come fast. */
async function start(): Promise<Infrastructure> {
  const infrastructure = await createInfrastructure({
    dataDir,
    downloadsDir,
    addresses: {},
    docker: 'never',
    chain: { blockTimeSeconds: 0.2 },
    onStep: () => undefined,
    signal: AbortSignal.timeout(200_000),
  });
  started.push(infrastructure);
  return infrastructure;
}

async function expectNoProcessLeft(infrastructure: Infrastructure): Promise<void> {
  expect(infrastructure.processes).toHaveLength(5);
  const found = await Promise.all(infrastructure.processes.map(({ pid }) => identifyProcess(pid)));
  expect(found).toEqual([undefined, undefined, undefined, undefined, undefined]);
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function kafkaOf({ kafkaBrokers }: Addresses): Kafka {
  return new Kafka({ brokers: kafkaBrokers.split(','), logLevel: logLevel.ERROR });
}

async function produce(addresses: Addresses, value: string): Promise<void> {
  const kafka = kafkaOf(addresses);
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 1 }], waitForLeaders: false });
  // kafkajs' own wait ends with an error when the broker does not know yet what the controller has made.
  await waitUntil(() => admin.fetchTopicMetadata({ topics: [TOPIC] }), {
    timeoutMs: 20_000,
    signal: AbortSignal.timeout(20_000),
  });
  await admin.disconnect();
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: TOPIC, acks: -1, messages: [{ value }] });
  await producer.disconnect();
}

async function consumeOne(addresses: Addresses, groupId: string): Promise<string | undefined> {
  const consumer = kafkaOf(addresses).consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
  const value = await new Promise<string | undefined>((done, fail) => {
    const eachMessage = async ({ message }: { message: { value: Buffer | null } }) => done(message.value?.toString());
    consumer.run({ eachMessage }).catch(fail);
  });
  await consumer.disconnect();
  return value;
}

async function registerSchema({ schemaRegistryUrl }: Addresses): Promise<number> {
  const response = await fetch(`${schemaRegistryUrl}/subjects/kept-value/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schemaType: 'JSON', schema: SCHEMA }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: number }).id;
}

async function readSchema({ schemaRegistryUrl }: Addresses, id: number): Promise<unknown> {
  const response = await fetch(`${schemaRegistryUrl}/schemas/ids/${id}`);
  return JSON.parse(((await response.json()) as { schema: string }).schema);
}

function rpc<T>({ rpcUrl }: Addresses, method: string, params: readonly unknown[] = []): Promise<T> {
  return callRpc<T>(rpcUrl, method, params, AbortSignal.timeout(10_000));
}

interface Receipt {
  readonly blockHash: string;
}

async function sendTransaction(addresses: Addresses): Promise<{ hash: string; receipt: Receipt }> {
  const [from, to] = await rpc<string[]>(addresses, 'eth_accounts');
  const hash = await rpc<string>(addresses, 'eth_sendTransaction', [{ from, to, value: '0x1' }]);
  for (;;) {
    const receipt = await rpc<Receipt | null>(addresses, 'eth_getTransactionReceipt', [hash]);
    if (receipt) return { hash, receipt };
  }
}

/** Redis answers nobody without its password, which no list of processes shows (I10). */
async function expectPassword({ connection, processes }: Infrastructure): Promise<void> {
  const { password, port } = new URL(connection.redisUrl);
  const stranger = new Redis({ port: Number(port), lazyConnect: true, maxRetriesPerRequest: 0 });
  stranger.on('error', () => undefined);
  await stranger.connect().catch(() => undefined);
  await expect(stranger.get('lock')).rejects.toThrow('NOAUTH');
  stranger.disconnect();
  const pid = processes.find(({ name }) => name === 'redis')?.pid;
  // Linux need not have ps, and elsewhere there is no /proc.
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(
    async () => (await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)])).stdout,
  );
  expect([password.length, words.includes('redis'), words.includes(password)]).toEqual([32, true, false]);
}

afterAll(async () => {
  await Promise.all(started.map((infrastructure) => infrastructure.stop()));
  await discardInfrastructure(dataDir);
}, 60_000);

describe('native infrastructure', () => {
  it('answers real clients, leaves no process, and has every row, message, schema id and block at its second start', async () => {
    const first = await start();
    expect(Object.values(first.providedBy)).toEqual(Array(5).fill('native'));
    await query(first.connection.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await produce(first.connection, 'message');
    expect(await consumeOne(first.connection, 'first')).toBe('message');
    const redis = new Redis(first.connection.redisUrl);
    expect(await redis.set('lock', 'x', 'PX', 1000, 'NX')).toBe('OK');
    redis.disconnect();
    await expectPassword(first);
    const id = await registerSchema(first.connection);
    const { hash, receipt } = await sendTransaction(first.connection);
    const genesis = await rpc<{ hash: string }>(first.connection, 'eth_getBlockByNumber', ['0x0', false]);
    await first.stop();
    await expectNoProcessLeft(first);

    const second = await start();
    expect(second.connection).toEqual(first.connection);
    expect(await query(second.connection.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(await consumeOne(second.connection, 'second')).toBe('message');
    expect(await readSchema(second.connection, id)).toEqual(JSON.parse(SCHEMA));
    expect(await registerSchema(second.connection)).toBe(id);
    expect(await rpc(second.connection, 'eth_getTransactionReceipt', [hash])).toEqual(receipt);
    expect(await rpc(second.connection, 'eth_getBlockByNumber', ['0x0', false])).toMatchObject({ hash: genesis.hash });
    const next = await sendTransaction(second.connection);
    expect(next.receipt.blockHash).not.toBe(receipt.blockHash);
    await second.stop();
    await expectNoProcessLeft(second);
  }, 240_000);
});
