import { afterAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import {
  dropTemplate,
  endingServer,
  eventually,
  type TestAnvil,
  type TestDatabase,
  testAnvil,
  testDatabase,
  testKafka,
  testPool,
  testRedis,
  testSession,
} from '../src/index.ts';

const databases: TestDatabase[] = [];
const anvils: TestAnvil[] = [];
const kafka = testKafka();
const redis = testRedis();

afterAll(async () => {
  await Promise.all(databases.map((database) => database.drop()));
  await Promise.all(anvils.map((anvil) => anvil.stop()));
  await Promise.all([kafka.dispose(), redis.dispose()]);
});

describe('testDatabase', () => {
  it('gives each test file an empty database that is gone after drop', async () => {
    const database = await testDatabase();
    databases.push(database);
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    expect(rows).toEqual([{ name: database.name }]);
    await database.drop();
    const client = new pg.Client({ connectionString: database.url });
    await expect(client.connect()).rejects.toMatchObject({ code: '3D000' });
  });

  it('makes a template once and copies it for everyone, until it is dropped', async () => {
    let made = 0;
    const template = {
      name: `helpers_${process.pid}`,
      create: async (url: string) => {
        made += 1;
        const session = await testSession(url);
        await session.query('CREATE TABLE marks (mark text)');
        await session.end();
      },
    };
    const copies = await Promise.all([testDatabase({ template }), testDatabase({ template })]);
    databases.push(...copies);
    for (const { pool } of copies) expect((await pool.query('SELECT * FROM marks')).rowCount).toBe(0);
    expect(made).toBe(1);
    await dropTemplate(template);
    databases.push(await testDatabase({ template }));
    expect(made).toBe(2);
    await dropTemplate(template);
  });
});

describe('testPool and testSession', () => {
  it('reject a statement whose session was ended, and end no process', async () => {
    const server = await endingServer();
    const pool = testPool(server.url);
    const client = await pool.connect();
    await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
    client.release(true);
    const session = await testSession(server.url);
    await expect(session.query('SELECT 1')).rejects.toThrow('not queryable');
    await session.end();
    await pool.end();
    await server.close();
  });
});

describe('testKafka', () => {
  it('creates topics under a prefix of its own and deletes them at the end', async () => {
    await kafka.createTopics([kafka.name('a'), { topic: kafka.name('b'), numPartitions: 3 }]);
    const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.ERROR }).admin();
    await admin.connect();
    const own = async () => (await admin.listTopics()).filter((topic) => topic.startsWith(kafka.prefix)).sort();
    expect(await own()).toEqual([kafka.name('a'), kafka.name('b')]);
    await kafka.dispose();
    await eventually(async () => expect(await own()).toEqual([]));
    await admin.disconnect();
  });
});

describe('testRedis', () => {
  it('deletes its own keys and nobody else’s', async () => {
    const other = testRedis();
    const client = new Redis(redis.url);
    await client.mset(`${redis.keyPrefix}x`, '1', `${other.keyPrefix}x`, '2');
    await redis.dispose();
    expect(await client.mget(`${redis.keyPrefix}x`, `${other.keyPrefix}x`)).toEqual([null, '2']);
    await other.dispose();
    client.disconnect();
  });
});

describe('testAnvil', () => {
  it('mines by request alone without automine, and replaces blocks at a reorg', async () => {
    const anvil = await testAnvil({ automine: false });
    anvils.push(anvil);
    const hashOf = async (block: number) =>
      (await anvil.request<{ hash: string }>('eth_getBlockByNumber', [`0x${block.toString(16)}`, false])).hash;
    await anvil.mine(5);
    const [second, fifth] = [await hashOf(2), await hashOf(5)];
    await anvil.reorg(3);
    expect(await anvil.request('eth_blockNumber')).toBe('0x5');
    expect(await hashOf(2)).toBe(second);
    expect(await hashOf(5)).not.toBe(fifth);
  });

  it('says in its error what the chain answered', async () => {
    const anvil = anvils[0] ?? (await testAnvil());
    await expect(anvil.request('no_such_method')).rejects.toThrow(/no_such_method.*-3260\d/);
  });
});

describe('eventually', () => {
  it('repeats the check until it passes', async () => {
    let calls = 0;
    const value = await eventually(() => {
      calls += 1;
      if (calls < 3) throw new Error('too early');
      return calls;
    });
    expect(value).toBe(3);
  });

  it('fails with the last reason when the time is up', async () => {
    const never = () => {
      throw new Error('the row is missing');
    };
    await expect(eventually(never, { timeoutMs: 30, intervalMs: 5 })).rejects.toThrow(
      'still not so after 30 ms: the row is missing',
    );
  });
});
