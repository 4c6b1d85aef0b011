import { createLogger } from '@indelible/service-runtime';
import { type SilenceProxy, silenceProxy, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '../src/index.ts';

let stored: Awaited<ReturnType<typeof testDatabase>>;
let proxy: SilenceProxy;
let database: Database;

beforeAll(async () => {
  stored = await testDatabase();
  proxy = await silenceProxy(stored.url);
  const logger = createLogger({ service: 'test', level: 'silent' });
  database = createDatabase({
    url: proxy.url,
    schema: 'public',
    applicationName: 'silent server test',
    maxConnections: 2,
    answerTimeoutMs: 2_000,
    logger,
  });
});
afterAll(async () => {
  await database.close();
  proxy.close();
  await stored.drop();
});

const one = async (): Promise<unknown> => (await database.query('select 1 as one')).rows;

describe('a server that is gone without a word', () => {
  it('holds up no statement and no transaction for longer than their time, and each goes on when it is back', async () => {
    const reached = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const transaction = database.transaction(async (client) => {
      await client.query('select 1');
      reached.resolve();
      await mayGoOn.promise;
      await client.query('select 2');
    });
    await reached.promise;
    await one();
    proxy.silence(true);
    mayGoOn.resolve();
    const asked = [transaction, one()];
    for (const statement of asked) await expect(statement).rejects.toThrow('Query read timeout');
    proxy.silence(false);
    // Neither connection is used again: an answer that came late would be taken for that of another statement.
    expect(await Promise.all([one(), one(), one()])).toEqual(Array(3).fill([{ one: 1 }]));
    await database.transaction(async (client) => {
      expect((await client.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
    });
  });
});
