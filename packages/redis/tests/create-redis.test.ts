import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Logger } from '@indelible/service-runtime';
import { eventually, type TestRedis, testRedis } from '@indelible/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { boundedOr } from '../src/bounded.ts';
import { closeRedis, createRedis, createSubscriber } from '../src/create-redis.ts';
import { untilReady } from '../src/until-ready.ts';

const createRecorder = () => {
  const lines: { readonly message: string; readonly seconds?: number }[] = [];
  const note = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const logger: Logger = { debug() {}, info: note, warn: note, error() {}, child: () => logger };
  return { logger, lines };
};

/** Passes connections on to the server, until it is closed; then none is accepted. */
async function startProxy(url: string, port = 0): Promise<{ port: number; close: () => Promise<unknown> }> {
  const { hostname, port: target } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const onward = connect(Number(target), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => proxy.close(resolve));
    },
  };
}

const server: TestRedis = testRedis();
afterAll(() => server.dispose());

describe('a Redis connection', () => {
  it('answers commands when it is ready', async () => {
    const { logger } = createRecorder();
    const redis = createRedis(server.url, { name: 'tests', logger });
    expect(await untilReady(redis, 5000)).toBe(true);
    await redis.set(`${server.keyPrefix}a`, '1', 'PX', 10_000);
    await expect(redis.get(`${server.keyPrefix}a`)).resolves.toBe('1');
    await closeRedis(redis);
    expect(await boundedOr(redis.get('a'), 'away', 250)).toBe('away');
  });

  it('rejects commands at once while its server is unreachable, and warns once of many attempts', async () => {
    const { logger, lines } = createRecorder();
    const redis = createRedis('redis://127.0.0.1:9', { name: 'tests', logger });
    expect(await untilReady(redis, 500)).toBe(false);
    await expect(redis.get('a')).rejects.toThrow();
    expect(lines.map(({ message }) => message)).toEqual(['waiting for Redis at 127.0.0.1:9 (REDIS_URL)']);
    await closeRedis(redis);
  });

  it('reports an outage together with its subscribers: a line, later one with how long, one when all are back', async () => {
    const { logger, lines } = createRecorder();
    let now = 0;
    const proxy = await startProxy(server.url);
    const url = Object.assign(new URL(server.url), { port: String(proxy.port) }).href;
    const redis = createRedis(url, { name: 'tests', logger, now: () => now });
    const both = [redis, createSubscriber(redis, { name: 'subscriber' })];
    const back: (typeof proxy)[] = [];
    try {
      expect(await Promise.all(both.map((one) => untilReady(one, 5000)))).toEqual([true, true]);
      await proxy.close();
      await eventually(() => expect(lines).toHaveLength(1));
      now = 90_000;
      await eventually(() => expect(lines).toHaveLength(2));
      back.push(await startProxy(server.url, proxy.port));
      expect(await Promise.all(both.map((one) => untilReady(one, 5000)))).toEqual([true, true]);
      const where = `Redis at 127.0.0.1:${proxy.port} (REDIS_URL)`;
      expect(lines.map(({ message, seconds }) => [message, seconds])).toEqual([
        [`waiting for ${where}`, undefined],
        [`waiting for ${where}, 1 min`, 90],
        [`reached ${where}`, 90],
      ]);
    } finally {
      await Promise.all(both.map(closeRedis));
      for (const one of back) await one.close();
    }
  }, 30_000);

  it('never makes its user wait beyond the bound', async () => {
    await expect(boundedOr(new Promise<string>(() => undefined), 'late', 1)).resolves.toBe('late');
  });
});
