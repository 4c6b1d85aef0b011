import { randomUUID } from 'node:crypto';
import net from 'node:net';
import type { Logger } from '@indelible/service-runtime';
import { eventually, type TestRedis, testRedis } from '@indelible/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { closeRedis, createRedis } from '../src/create-redis.ts';
import { createIdentityLocks, type IdentityLocks } from '../src/identity-locks/identity-locks.ts';
import { untilReady } from '../src/until-ready.ts';

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
const never = new AbortController().signal;

const server: TestRedis = testRedis();
const { keyPrefix } = server;
let redis: Redis;
let name: string;
let locks: IdentityLocks;
let identity: string;
/** What these tests ask is not whether a busy machine answers in time; where Redis is away, the usual time holds. */
const commandTimeoutMs = 5_000;

beforeEach(async () => {
  name = randomUUID();
  redis = createRedis(server.url, { name, logger });
  await untilReady(redis, 5000);
  locks = createIdentityLocks({ redis, keyPrefix, logger, commandTimeoutMs });
  await locks.start();
  identity = randomUUID();
});

afterEach(async () => {
  await locks.stop();
  await closeRedis(redis);
});

afterAll(() => server.dispose());

/** A port that takes connections and never answers. */
const createMuteServer = async () => {
  const sockets = new Set<net.Socket>();
  const listener = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(listener.address() as net.AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};

/** Locks on a connection of their own, which can be lost as a process loses it that dies. */
const startedLocks = async () => {
  const connection = createRedis(server.url, { name: randomUUID(), logger });
  await untilReady(connection, 5000);
  const dying = createIdentityLocks({ redis: connection, keyPrefix, logger, commandTimeoutMs });
  await dying.start();
  return {
    locks: dying,
    async die() {
      connection.disconnect();
      await dying.stop();
    },
  };
};

const subscriptions = async (): Promise<number> => {
  const channel = `${keyPrefix}identity-outcome:${identity}`;
  const [, count] = (await redis.call('PUBSUB', 'NUMSUB', channel)) as [string, number];
  return count;
};

describe('an identity lock', () => {
  it('is given to one holder, who may ask again', async () => {
    await expect(locks.acquire(identity, 'a')).resolves.toBe('acquired');
    await expect(locks.acquire(identity, 'b')).resolves.toBe('held');
    await expect(locks.acquire(identity, 'a')).resolves.toBe('acquired');
  });

  it('is freed and renewed by its holder only', async () => {
    await locks.acquire(identity, 'a');
    await locks.release(identity, 'b', '{}');
    await expect(locks.extend(identity, 'b')).resolves.toBe(false);
    await expect(locks.acquire(identity, 'b')).resolves.toBe('held');
    await expect(locks.extend(identity, 'a')).resolves.toBe(true);
    await locks.release(identity, 'a', '{}');
    await expect(locks.acquire(identity, 'b')).resolves.toBe('acquired');
  });

  it('expires, and then passes to the next', async () => {
    const short = createIdentityLocks({ redis, keyPrefix, logger, commandTimeoutMs, ttlMs: 20 });
    await short.acquire(identity, 'a');
    await eventually(async () => expect(await locks.acquire(identity, 'b')).toBe('acquired'));
    await expect(short.extend(identity, 'a')).resolves.toBe(false);
  });

  it('of a process that died passes to the next long before it expires', async () => {
    const dying = await startedLocks();
    await dying.locks.acquire(identity, 'a');
    await expect(locks.acquire(identity, 'b')).resolves.toBe('held');
    const follower = await locks.follow(identity);
    const followed = follower.outcome(never, 50);
    await dying.die();
    await expect(followed).resolves.toEqual({ kind: 'vanished' });
    follower.close();
    await expect(locks.acquire(identity, 'b')).resolves.toBe('acquired');
  });

  it('of one process and another is the same', async () => {
    const other = createIdentityLocks({ redis, keyPrefix, logger, commandTimeoutMs });
    await locks.acquire(identity, 'a');
    await expect(other.acquire(identity, 'b')).resolves.toBe('held');
  });
});

describe('followers', () => {
  it('of one identity get its outcome, a thousand by one subscription', async () => {
    await locks.acquire(identity, 'a');
    const followers = await Promise.all(Array.from({ length: 1000 }, () => locks.follow(identity)));
    const outcomes = followers.map((follower) => follower.outcome(never, 1_000_000));
    expect(await subscriptions()).toBe(1);
    await locks.release(identity, 'a', '{"stampId":"s"}');
    expect(new Set((await Promise.all(outcomes)).map((followed) => JSON.stringify(followed)))).toEqual(
      new Set([JSON.stringify({ kind: 'outcome', outcome: '{"stampId":"s"}' })]),
    );
    for (const follower of followers) follower.close();
    await eventually(async () => expect(await subscriptions()).toBe(0));
  });

  it('that come after the release learn at once that the lock has vanished', async () => {
    await locks.acquire(identity, 'a');
    await locks.release(identity, 'a', '{}');
    const follower = await locks.follow(identity);
    await expect(follower.outcome(never, 1_000_000)).resolves.toEqual({ kind: 'vanished' });
    follower.close();
  });

  it('get an outcome however closely the release follows', async () => {
    const outcomes = new Set<string>();
    for (let n = 0; n < 50; n += 1) {
      const name = `${identity}-${n}`;
      await locks.acquire(name, 'a');
      const following = locks.follow(name);
      const releasing = locks.release(name, 'a', '{}');
      const follower = await following;
      outcomes.add((await follower.outcome(never, 1_000_000)).kind);
      follower.close();
      await releasing;
    }
    expect([...outcomes].every((kind) => kind === 'outcome' || kind === 'vanished')).toBe(true);
  });

  it('that left and came back hear again', async () => {
    await locks.acquire(identity, 'a');
    (await locks.follow(identity)).close();
    const follower = await locks.follow(identity);
    const outcome = follower.outcome(never, 1_000_000);
    await locks.release(identity, 'a', '1');
    await expect(outcome).resolves.toEqual({ kind: 'outcome', outcome: '1' });
    follower.close();
  });

  it('see a lock vanish that expires without an outcome', async () => {
    const short = createIdentityLocks({ redis, keyPrefix, logger, commandTimeoutMs, ttlMs: 100 });
    await short.acquire(identity, 'a');
    const follower = await locks.follow(identity);
    await expect(follower.outcome(never, 10)).resolves.toEqual({ kind: 'vanished' });
    follower.close();
  });

  it('do not get an outcome longer than its bound', async () => {
    await locks.acquire(identity, 'a');
    const follower = await locks.follow(identity);
    await locks.release(identity, 'a', 'x'.repeat(20_000));
    await expect(follower.outcome(never, 1_000_000)).resolves.toEqual({ kind: 'vanished' });
    follower.close();
  });

  it('see the lock vanish when the connection is lost', async () => {
    await locks.acquire(identity, 'a');
    const follower = await locks.follow(identity);
    const outcome = follower.outcome(never, 1_000_000);
    const clients = String(await redis.client('LIST')).split('\n');
    const own = clients.filter((line) => line.includes(`name=${name}:identity-locks `));
    expect(own).toHaveLength(1);
    for (const line of own) await redis.client('KILL', 'ID', /id=(\d+)/.exec(line)![1]!);
    await expect(outcome).resolves.toEqual({ kind: 'vanished' });
    follower.close();
    await eventually(async () => {
      const next = await locks.follow(identity);
      const waiting = next.outcome(AbortSignal.timeout(50), 1_000_000).catch((reason: unknown) => String(reason));
      expect(await waiting).toContain('TimeoutError');
      next.close();
    });
  });
});

describe('without Redis', () => {
  const check = async (url: string) => {
    const away = createRedis(url, { name: 'away', logger });
    const absent = createIdentityLocks({ redis: away, keyPrefix, logger });
    await absent.start();
    await expect(absent.acquire(identity, 'a')).resolves.toBe('unavailable');
    await expect(absent.extend(identity, 'a')).resolves.toBe(false);
    await expect(absent.release(identity, 'a', '{}')).resolves.toBeUndefined();
    const follower = await absent.follow(identity);
    await expect(follower.outcome(never, 1_000_000)).resolves.toEqual({ kind: 'vanished' });
    follower.close();
    await absent.stop();
    await closeRedis(away);
  };

  it('a refused connection yields `unavailable` and `vanished`, no error and no wait', () =>
    check('redis://127.0.0.1:9'));

  it('so does a server that takes connections and does not answer', async () => {
    const mute = await createMuteServer();
    await check(mute.url);
    await mute.close();
  });
});
