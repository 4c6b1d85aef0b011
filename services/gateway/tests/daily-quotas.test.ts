import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { cidOfContent } from '@indelible/identifiers';
import { closeRedis, createRedis, untilReady } from '@indelible/redis';
import { eventually, testRedis } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createDailyQuotas } from '../src/limits/daily-quotas.ts';
import { createLimitScripts } from '../src/limits/limit-script.ts';
import { type Account, formOf, type Gateway, logger, startGateway } from './gateway-harness.ts';
import { linesOf, postBatch } from './stamp-batch-client.ts';

const day = 24 * 60 * 60;
const megabyte = 2 ** 20;
/** A stamps' quota of 5: a lease is one stamp, so that what is left is exact. */
const limits = { accountStampsPerDay: 5, accountBytesPerDay: 4 * megabyte };

const server = testRedis();
const redis = createRedis(server.url, { name: 'daily quota test', logger });
beforeAll(async () => void (await untilReady(redis, 5_000)));
afterAll(async () => {
  await closeRedis(redis);
  await server.dispose();
});

let gateway: Gateway;
let ada: Account;
let bob: Account;
beforeAll(async () => {
  gateway = await startGateway({ ...limits, stalledMs: 60_000 });
  // The end of a day during these tests would also end their quotas.
  await eventually(() => expect(secondsToMidnight()).toBeGreaterThan(60), { timeoutMs: 90_000 });
}, 180_000);
afterAll(() => gateway.dispose(), 60_000);
beforeEach(async () => {
  ada = await gateway.openAccount();
  bob = await gateway.openAccount('Bob');
  gateway.stamping.confirmAll();
});

let contents = 0;
const fresh = () => cidOfContent(`quota ${contents++}`);
const stamp = (who: Account, cid = fresh()) =>
  gateway.send(who, '/stamps', { method: 'POST', body: formOf({ data_cid: cid }) });
const secondsToMidnight = (): number => day - ((Date.now() / 1_000) % day);
const staged = async (): Promise<number> =>
  (await readdir(gateway.directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;

describe('the daily quota of stamps', () => {
  const over = {
    status: 429,
    body: { error: 'daily quota reached', details: expect.stringContaining('at most 5 stamps') },
  };

  it('refuses an account’s further stamps and collections until midnight UTC, whichever key it uses; others go on (I12)', async () => {
    for (let i = 0; i < 5; i++) expect((await stamp(ada)).status).toBe(201);
    const refused = await stamp(ada);
    expect(refused).toMatchObject(over);
    expect(Math.abs(Number(refused.headers.get('Retry-After')) - secondsToMidnight())).toBeLessThan(10);
    const { apiKey } = await gateway.accounts.createKey({ account: ada.account, name: 'another' });
    expect(await stamp({ account: ada.account, apiKey })).toMatchObject(over);
    const collection = {
      method: 'POST',
      body: JSON.stringify({ name: 'Forest' }),
      headers: { 'Content-Type': 'application/json' },
    };
    expect(await gateway.send(ada, '/collections', collection)).toMatchObject(over);
    expect((await stamp(bob)).status).toBe(201);
    const metrics = await (await fetch(`${gateway.internal}/metrics`)).text();
    expect(metrics).toContain('indelible_gateway_quota_decisions_total{quota="stamps",decision="refused"} 3');
  });

  it('does not count what makes no stamp', async () => {
    const cid = fresh();
    expect((await stamp(ada, cid)).status).toBe(201);
    const first = gateway.stamping.commands.at(-1);
    if (first === undefined) throw new Error('no command');
    const receipt = gateway.stamping.receiptOf(first);
    gateway.stamping.script((command) => gateway.stamping.repeat(command, first.requestId, receipt));
    for (let i = 0; i < 6; i++) expect((await stamp(ada, cid)).status).toBe(200);
    gateway.stamping.script((command) => gateway.stamping.refuse(command, { code: 'grant-revoked', message: 'm' }));
    for (let i = 0; i < 6; i++) expect((await stamp(ada)).status).toBe(403);
    gateway.stamping.confirmAll();
    for (let i = 0; i < 4; i++) expect((await stamp(ada)).status).toBe(201);
    expect(await stamp(ada)).toMatchObject(over);
  });

  it('counts lines of batches: those over it fail, to be sent on another day; a batch that begins over it is a 429 (I12)', async () => {
    const lines = Array.from({ length: 8 }, () => ({ data_cid: fresh() }));
    const { results } = await postBatch(gateway, ada, linesOf(lines));
    expect(results.map(({ status }) => status)).toEqual([...Array(5).fill('created'), ...Array(3).fill('failed')]);
    expect(results.at(-1)).toEqual({
      line: 8,
      status: 'failed',
      error: 'daily quota reached',
      details: expect.stringContaining('at most 5 stamps'),
      retryable: true,
    });
    const whole = await postBatch(gateway, ada, linesOf(lines));
    expect([whole.status, whole.error.error]).toEqual([429, 'daily quota reached']);
    expect(Number(whole.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect((await postBatch(gateway, bob, linesOf(lines.slice(0, 5)))).results.map(({ status }) => status)).toEqual(
      Array(5).fill('created'),
    );
  });
});

describe('the daily quota of bytes', () => {
  const file = (bytes: number): File => new File([Buffer.alloc(bytes, contents++)], 'a.bin');
  const send = (who: Account, content: File) =>
    gateway.send(who, '/stamps', { method: 'POST', body: formOf({ file: content }) });
  const over = {
    status: 429,
    body: { error: 'daily quota reached', details: expect.stringContaining('bytes of content') },
  };

  it('refuses further content of an account and keeps nothing of it staged (I7); others are not affected (I12)', async () => {
    expect((await send(ada, file(3 * megabyte))).status).toBe(201);
    const before = await staged();
    expect(await send(ada, file(2 * megabyte))).toMatchObject(over);
    const form = formOf({ collection_name: 'Photos', file: file(2 * megabyte) });
    expect(await gateway.send(ada, '/stamps/upload-stamped-file', { method: 'POST', body: form })).toMatchObject({
      status: 429,
    });
    expect(await staged()).toBe(before);
    // Refused bytes do not count.
    expect((await send(ada, file(megabyte / 2))).status).toBe(201);
    expect((await stamp(ada)).status).toBe(201);
    expect((await send(bob, file(3 * megabyte))).status).toBe(201);
  });

  it('refuses at once what by its Content-Length cannot fit', async () => {
    const socket = connect(Number(new URL(gateway.base).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => {});
    socket.write(
      `POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.apiKey}\r\nContent-Type: multipart/form-data; boundary=B\r\nContent-Length: ${8 * megabyte}\r\n\r\n`,
    );
    socket.write('--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nthe first bytes of it');
    await eventually(() => expect(answer).toMatch(/^HTTP\/1\.1 429 /));
    socket.destroy();
  });

  it('counts what a client broke off as far as it came', async () => {
    const leaving = new AbortController();
    const before = await staged();
    async function* body(): AsyncGenerator<Buffer> {
      yield Buffer.from('--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
      yield Buffer.alloc(megabyte);
      await eventually(async () => expect(await staged()).toBeGreaterThan(before));
      leaving.abort();
      yield Buffer.alloc(1);
    }
    const sending = gateway.send(bob, '/stamps', {
      method: 'POST',
      body: ReadableStream.from(body()),
      headers: { 'Content-Type': 'multipart/form-data; boundary=B' },
      duplex: 'half',
      signal: leaving.signal,
    } as RequestInit);
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' });
    const counted = Number(await redis.get(`${gateway.topicPrefix}quota:bytes:${bob.account}`));
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThan(2 * megabyte);
  });
});

describe('the count in Redis', () => {
  const quotas = (stamps: number) => {
    const runScript = createLimitScripts({ redis, keyPrefix: server.keyPrefix, logger });
    return createDailyQuotas({ runScript, perDay: { stamps, bytes: 2 ** 40 }, logger, metrics: new Registry() });
  };
  const account = `0x${'ab'.repeat(20)}` as const;
  const key = (quota: string): string => `${server.keyPrefix}quota:${quota}:${account}`;

  it('is one for all replicas, and ends with the day', async () => {
    const [here, there] = [quotas(100).stamps, quotas(100).stamps];
    expect(await here.takeSome(account, 60)).toMatchObject({ amount: 60 });
    expect(await there.takeSome(account, 60)).toMatchObject({ amount: 40 });
    expect(await redis.get(key('stamps'))).toBe('100');
    expect(Math.abs((await redis.pttl(key('stamps'))) / 1_000 - secondsToMidnight())).toBeLessThan(10);
    here.give(account, 30);
    await eventually(async () => expect(Number(await redis.get(key('stamps')))).toBeLessThan(75));
    expect(await here.takeSome(account, 60)).toMatchObject({ amount: 30 });
    // As on the next day.
    await redis.del(key('stamps'));
    expect(await here.takeSome(account, 5)).toMatchObject({ amount: 0 });
    await eventually(async () => expect(await here.takeSome(account, 5)).toMatchObject({ amount: 5 }));
  });

  it('holds a terabyte and more', async () => {
    const { bytes } = quotas(1);
    expect(await bytes.takeSome(account, 2 ** 39 + 1)).toMatchObject({ amount: 2 ** 39 + 1 });
    expect(await redis.get(key('bytes'))).toBe(String(2 ** 39 + 1));
    bytes.give(account, 2 ** 39);
    await eventually(async () => expect(Number(await redis.get(key('bytes')))).toBe(1 + 16 * 2 ** 20));
  });
});
