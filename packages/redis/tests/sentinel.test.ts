import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { testRedis } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeRedis, createRedis, type Redis, untilReady } from '../src/index.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
const server = testRedis();
const leader = new URL(server.url);

/** Knows one group of servers, whose leader is the real one; answers what a client needs of Redis Sentinel's protocol. */
const sentinel = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    const words = bytes.toString().toLowerCase();
    const texts = (...parts: string[]) =>
      `*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join('')}`;
    if (words.includes('get-master-addr-by-name'))
      socket.write(words.includes('main') ? texts(leader.hostname, leader.port) : '*-1\r\n');
    else if (words.includes('sentinels')) socket.write('*0\r\n');
    else for (const _ of words.matchAll(/\*\d+\r\n/g)) socket.write('+OK\r\n');
  });
});

let redis: Redis;
let addresses: readonly string[];
beforeAll(async () => {
  sentinel.listen(0, '127.0.0.1');
  await once(sentinel, 'listening');
  addresses = ['127.0.0.1:1', `127.0.0.1:${(sentinel.address() as AddressInfo).port}`];
});
afterAll(async () => {
  await closeRedis(redis);
  await server.dispose();
  sentinel.close();
});

describe('Redis behind sentinels', () => {
  it('is found by the first sentinel that answers, whatever address its URL has', async () => {
    const access = { sentinels: { addresses, name: 'main' } };
    const url = Object.assign(new URL(server.url), { hostname: 'nowhere.invalid', port: '1' }).href;
    redis = createRedis(url, { name: 'tests', logger, access });
    expect(await untilReady(redis, 10_000)).toBe(true);
    await redis.set(`${server.keyPrefix}key`, 'value', 'PX', 10_000);
    expect(await redis.get(`${server.keyPrefix}key`)).toBe('value');
  });
});
