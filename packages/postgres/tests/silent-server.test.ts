import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createLogger } from '@indelible/service-runtime';
import { testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type Database } from '../src/index.ts';

let stored: Awaited<ReturnType<typeof testDatabase>>;
let proxy: Server;
/** While it is, statements reach the server and no answer comes back, on connections that stay open. */
let silent = false;
let database: Database;
const sockets = new Set<Socket>();

beforeAll(async () => {
  stored = await testDatabase();
  const { hostname, port } = new URL(stored.url);
  proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    sockets.add(client).add(server);
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => silent || client.write(bytes));
    for (const socket of [client, server])
      socket.on('error', () => {}).on('close', () => [client, server].map((one) => one.destroy()));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(stored.url);
  url.port = String((proxy.address() as AddressInfo).port);
  const logger = createLogger({ service: 'test', level: 'silent' });
  database = createDatabase({
    url: url.href,
    schema: 'public',
    applicationName: 'silent server test',
    maxConnections: 2,
    answerTimeoutMs: 300,
    logger,
  });
});
afterAll(async () => {
  await database.close();
  for (const socket of sockets) socket.destroy();
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
    silent = true;
    mayGoOn.resolve();
    const asked = [transaction, one()];
    for (const statement of asked) await expect(statement).rejects.toThrow('Query read timeout');
    silent = false;
    // Neither connection is used again: an answer that came late would be taken for that of another statement.
    expect(await Promise.all([one(), one(), one()])).toEqual(Array(3).fill([{ one: 1 }]));
    await database.transaction(async (client) => {
      expect((await client.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
    });
  });
});
