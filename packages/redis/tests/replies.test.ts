import { randomUUID } from 'node:crypto';
import type { Reply } from '@indelible/messages';
import type { Logger } from '@indelible/service-runtime';
import { eventually, type TestRedis, testRedis } from '@indelible/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { closeRedis, createRedis } from '../src/create-redis.ts';
import { createReplyReceiver, type ReplyReceiver } from '../src/replies/reply-receiver.ts';
import { createReplySender } from '../src/replies/reply-sender.ts';
import type { ReplyWaiter } from '../src/replies/waiters.ts';

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
/** Port 9 discards: nothing of this machine listens there. */
const deadUrl = 'redis://127.0.0.1:9';

const server: TestRedis = testRedis();
const { keyPrefix } = server;
let redis: Redis;
let name: string;
let receivers: ReplyReceiver[];
let events: { kind: string; count: number }[];

beforeEach(() => {
  name = randomUUID();
  redis = createRedis(server.url, { name, logger });
  receivers = [];
  events = [];
});

afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  await closeRedis(redis);
});

afterAll(() => server.dispose());

const startReceiver = async (instanceId: string, from: Redis = redis): Promise<ReplyReceiver> => {
  const receiver = createReplyReceiver({ redis: from, instanceId, keyPrefix, logger });
  receivers.push(receiver);
  await receiver.start();
  return receiver;
};

const createSender = (to: Redis = redis) =>
  createReplySender({ redis: to, keyPrefix, logger, onEvent: (event) => events.push(event) });

const decided = (requestId: string): Reply => ({ requestId, kind: 'decided', decision: 'new', stampId: requestId });
const stored = (requestId: string): Reply => ({
  requestId,
  kind: 'stored',
  stampId: 's',
  fileName: 'f',
  filePath: 'p',
});

/** Resolves with the next replies, so many, to a waiter that does not listen yet. */
const repliesTo = (waiter: ReplyWaiter, count: number): Promise<readonly Reply[]> =>
  new Promise((resolve) => {
    const heard: Reply[] = [];
    waiter.listen((reply) => {
      heard.push(reply);
      if (heard.length === count) resolve(heard);
    });
  });

describe('replies', () => {
  it('reach the gateway instance that waits, in order, and no other', async () => {
    const [one, two] = [await startReceiver(randomUUID()), await startReceiver('two')];
    const three = await startReceiver('three');
    const requestId = randomUUID();
    const [waiter, elsewhere] = [two.wait(requestId), three.wait(requestId)];
    await createSender().send([
      { replyTo: 'two', reply: decided(requestId) },
      { replyTo: 'two', reply: stored(requestId) },
    ]);
    await expect(repliesTo(waiter, 2)).resolves.toEqual([decided(requestId), stored(requestId)]);
    const own = { ...decided(requestId), stampId: 'own' };
    await createSender().send([{ replyTo: 'three', reply: own }]);
    await expect(repliesTo(elsewhere, 1)).resolves.toEqual([own]);
    expect([one, two, three].map((receiver) => receiver.connected())).toEqual([true, true, true]);
    expect(events).toEqual([
      { kind: 'sent', count: 2 },
      { kind: 'sent', count: 1 },
    ]);
  });

  it('find 5,000 waiters with one call', async () => {
    const receiver = await startReceiver('many');
    const requestIds = Array.from({ length: 5000 }, () => randomUUID());
    const answers = requestIds.map((requestId) => repliesTo(receiver.wait(requestId), 1));
    await createSender().send(requestIds.map((requestId) => ({ replyTo: 'many', reply: decided(requestId) })));
    expect((await Promise.all(answers)).map(([answer]) => answer?.requestId)).toEqual(requestIds);
    expect(events).toEqual([{ kind: 'sent', count: 5000 }]);
  });

  it('to an instance that is gone count as lost', async () => {
    await startReceiver('here');
    await createSender().send([{ replyTo: 'gone', reply: decided('r') }]);
    expect(events).toEqual([{ kind: 'lost', count: 1 }]);
  });

  it('are lost without an error while Redis is unavailable', async () => {
    const away = createRedis(deadUrl, { name: 'away', logger });
    await createSender(away).send([{ replyTo: 'two', reply: decided('r') }]);
    expect(events).toEqual([{ kind: 'lost', count: 1 }]);
    const receiver = await startReceiver('away', away);
    expect(receiver.connected()).toBe(false);
    await closeRedis(away);
  });

  it('are heard again after the connection was lost', async () => {
    const receiver = await startReceiver('back');
    const clients = String(await redis.client('LIST'));
    const own = clients.split('\n').filter((line) => line.includes(`name=${name}:replies `));
    expect(own).toHaveLength(1);
    for (const line of own) await redis.client('KILL', 'ID', /id=(\d+)/.exec(line)![1]!);
    await eventually(() => expect(receiver.connected()).toBe(true));
    const requestId = randomUUID();
    const waiter = receiver.wait(requestId);
    await eventually(async () => {
      await createSender().send([{ replyTo: 'back', reply: decided(requestId) }]);
      expect(events.at(-1)?.kind).toBe('sent');
    });
    await expect(repliesTo(waiter, 1)).resolves.toEqual([decided(requestId)]);
  });
});
