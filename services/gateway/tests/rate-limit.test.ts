import { closeRedis, createRedis, untilReady } from '@indelible/redis';
import { eventually, testRedis } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createLimitScripts } from '../src/limits/limit-script.ts';
import { createRateLimiter } from '../src/limits/rate-limiter.ts';
import { type Account, formOf, type Gateway, logger, startGateway } from './gateway-harness.ts';

/** One token in a hundred seconds: none comes back while a test runs. */
const perSecond = 0.01;
const key = { account: '0x00', scopes: ['read'] } as const;

describe('the rate limit of a key', () => {
  let gateway: Gateway;
  let ada: Account;
  beforeAll(async () => {
    gateway = await startGateway({ rateLimit: { perSecond, burst: 4 } });
    ada = await gateway.openAccount();
  }, 120_000);
  afterAll(() => gateway.dispose(), 60_000);
  const keyOf = async (name: string, scopes?: string[]): Promise<Account> => ({
    account: ada.account,
    apiKey: (await gateway.accounts.createKey({ account: ada.account, name, ...(scopes && { scopes }) })).apiKey,
  });

  it('allows a burst; requests over it get a 429 with Retry-After, before the body', async () => {
    const who = await keyOf('burst');
    const answers = await Promise.all(Array.from({ length: 12 }, () => gateway.send(who, '/users/me')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 4 }, () => 200), ...Array.from({ length: 8 }, () => 429)]);
    const limited = answers.find(({ status }) => status === 429);
    expect(limited?.body).toEqual({ error: 'too many requests', details: expect.stringContaining('rate limit') });
    expect(Number(limited?.headers.get('Retry-After'))).toBeGreaterThan(90);
    expect(limited?.headers.get('RateLimit-Remaining')).toBe('0');
    const upload = await gateway.send(who, '/stamps', {
      method: 'POST',
      body: formOf({ nonsense: 'x'.repeat(100_000) }),
    });
    expect(upload.status).toBe(429);
  });

  it('is in the headers of every authenticated response, errors too, and of no other', async () => {
    const reader = await keyOf('reader', ['read']);
    const good = await gateway.send(reader, '/users/me');
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
      good.headers.get(`RateLimit-${name}`),
    );
    expect([limit, remaining]).toEqual(['4', '3']);
    expect(Number(reset)).toBe(100);
    const forbidden = await gateway.send(reader, '/stamps', { method: 'POST', body: formOf({ data: 'x' }) });
    expect(forbidden.status).toBe(403);
    expect(forbidden.headers.get('RateLimit-Limit')).toBe('4');
    expect((await gateway.send(undefined, '/users/me')).headers.has('RateLimit-Limit')).toBe(false);
  });

  it("is separate for each key, and the account's own allowance takes precedence over the standard one", async () => {
    const other = await gateway.openAccount('Own');
    await gateway.pool.query(
      `update accounts.accounts set rate_limit_per_second = 100, rate_limit_burst = 900 where address = decode($1, 'hex')`,
      [other.account.slice(2)],
    );
    const answer = await gateway.send(other, '/users/me');
    expect([answer.headers.get('RateLimit-Limit'), answer.headers.get('RateLimit-Remaining')]).toEqual(['900', '899']);
    expect((await gateway.send(await keyOf('fresh'), '/users/me')).headers.get('RateLimit-Remaining')).toBe('3');
  });
});

describe('the bucket', () => {
  const server = testRedis();
  const redis = createRedis(server.url, { name: 'rate limit test', logger });
  beforeAll(async () => void (await untilReady(redis, 5_000)));
  afterAll(async () => {
    await closeRedis(redis);
    await server.dispose();
  });
  const limiter = (client: Parameters<typeof createLimitScripts>[0]['redis'] = redis, metrics = new Registry()) => {
    const runScript = createLimitScripts({ redis: client, keyPrefix: server.keyPrefix, logger });
    return createRateLimiter({ runScript, standard: undefined, metrics });
  };

  it('is one for all replicas', async () => {
    const [here, there] = [limiter(), limiter()];
    const shared = { ...key, keyId: 'shared', rateLimit: { perSecond, burst: 2 } };
    expect(await here.take(shared)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await there.take(shared)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await here.take(shared)).toMatchObject({ allowed: false, remaining: 0 });
  });

  it('paces a stream of stamps: it gets what there is but a tenth, and the rest as it fills (I12)', async () => {
    const streaming = { ...key, keyId: 'streaming', rateLimit: { perSecond: 100, burst: 50 } };
    const one = limiter();
    const { signal } = new AbortController();
    const began = performance.now();
    expect(await one.takeSome(streaming, 1_000, signal)).toBe(45);
    expect(await one.take(streaming)).toMatchObject({ allowed: true });
    let taken = 0;
    while (taken < 30) taken += await one.takeSome(streaming, 30 - taken, signal);
    expect(taken).toBe(30);
    expect(performance.now() - began).toBeGreaterThan(200);
    expect(await one.take(streaming)).toMatchObject({ allowed: true });
  });

  it('lets a stream through at once without a limit, and ends its wait with the signal', async () => {
    expect(await limiter().takeSome({ ...key, keyId: 'free' }, 700, AbortSignal.timeout(1_000))).toBe(700);
    const empty = { ...key, keyId: 'empty', rateLimit: { perSecond, burst: 1 } };
    await limiter().take(empty);
    const leaving = new AbortController();
    const waiting = limiter().takeSome(empty, 1, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow();
  });

  it('fills again with time', async () => {
    const filling = { ...key, keyId: 'filling', rateLimit: { perSecond: 20, burst: 1 } };
    const one = limiter();
    expect(await one.take(filling)).toMatchObject({ allowed: true });
    await eventually(async () => expect(await one.take(filling)).toMatchObject({ allowed: true }));
  });

  it('costs one round trip, and none while it is known to be empty', async () => {
    let queries = 0;
    const counting = {
      eval: (...args: Parameters<typeof redis.eval>) => {
        queries++;
        return redis.eval(...args);
      },
    } as never;
    const one = limiter(counting);
    const counted = { ...key, keyId: 'counted', rateLimit: { perSecond, burst: 1 } };
    await one.take(counted);
    expect(queries).toBe(1);
    for (let i = 0; i < 5; i++) await one.take(counted);
    expect(queries).toBe(2);
  });

  it('has no part in requests without a limit', async () => {
    const broken = { eval: () => Promise.reject(new Error('no call is needed')) } as never;
    expect(await limiter(broken).take({ ...key, keyId: 'free' })).toBeUndefined();
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('connection is closed'))],
    ['stands still', () => new Promise(() => {})],
  ])('allows and counts everything when Redis %s, which is not queried again at once', async (_what, fault) => {
    const metrics = new Registry();
    let queries = 0;
    const away = {
      eval: () => {
        queries++;
        return fault();
      },
    } as never;
    const one = limiter(away, metrics);
    const open = { ...key, keyId: 'open', rateLimit: { perSecond, burst: 1 } };
    for (let i = 0; i < 5; i++) expect(await one.take(open)).toBeUndefined();
    expect(queries).toBe(1);
    expect(await metrics.metrics()).toContain('indelible_gateway_rate_limit_decisions_total{decision="open"} 5');
  });
});
