import { cidOfContent } from '@indelible/identifiers';
import type { RequestStamp } from '@indelible/messages';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Account,
  type AnyBody,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway({ redisIsAway: true, rateLimit: { perSecond: 0.01, burst: 1 } });
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const post = (fields: Record<string, string | Blob>, headers = {}): Promise<GatewayResponse<AnyBody>> =>
  gateway.send(ada, '/stamps', { method: 'POST', body: formOf(fields), headers });

describe('without Redis', () => {
  it('stamps are answered by their status: slower, never wrong', async () => {
    gateway.stamping.confirmAll();
    const cid = cidOfContent('no redis');
    expect(await post({ data_cid: cid })).toMatchObject({
      status: 201,
      body: { commitment_receipt: { object_cid: cid } },
    });
  });

  it('a stamp with content is answered when its file is stored', async () => {
    gateway.stamping.confirmAll();
    expect(await post({ file: new File(['stored'], 'a.txt') })).toMatchObject({
      status: 201,
      body: { file_object: { file_name: 'stored_a.txt' } },
    });
  });

  it('a joined request is answered 200 with the stamp it joined, a refused one with its refusal', async () => {
    let first: RequestStamp | undefined;
    gateway.stamping.script(async (command) => {
      if (first === undefined) {
        first = command;
        await gateway.stamping.accept(command);
        return;
      }
      await gateway.stamping.join(command, first.requestId);
      await gateway.stamping.confirm(first);
    });
    const cid = cidOfContent('joined');
    const answers = await Promise.all([post({ data_cid: cid }), post({ data_cid: cid })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    gateway.stamping.script((command) =>
      gateway.stamping.refuse(command, { code: 'collection-cid-taken', message: 'm' }),
    );
    expect(await post({ data_cid: cid })).toMatchObject({ status: 400, body: { error: 'm' } });
  });

  it('respond-async learns from the status whether the stamp is new', async () => {
    gateway.stamping.script((command) => gateway.stamping.accept(command));
    const answer = await post({ data_cid: cidOfContent('async') }, { Prefer: 'respond-async' });
    expect(answer).toMatchObject({ status: 202, body: { id: gateway.stamping.commands.at(-1)?.requestId } });
  });

  it('an Idempotency-Key still replays, and a rate limit lets all through', async () => {
    gateway.stamping.confirmAll();
    const fields = { data_cid: cidOfContent('under a key'), idempotent: 'false' };
    const first = await post(fields, { 'Idempotency-Key': 'a key' });
    expect(first.status).toBe(201);
    expect(await post(fields, { 'Idempotency-Key': 'a key' })).toMatchObject({ status: 201, body: first.body });
    expect(first.headers.has('RateLimit-Limit')).toBe(false);
  });

  it('a collection is answered when it shows', async () => {
    gateway.stamping.scriptCollections(async ({ account, name }) => {
      const { collectionId, cid } = await gateway.stamping.registerCollection(account, name);
      await gateway.stamping.confirmCollection(account, collectionId, cid);
    });
    const body = JSON.stringify({ name: 'Shown' });
    const headers = { 'Content-Type': 'application/json' };
    expect(await gateway.send(ada, '/collections', { method: 'POST', body, headers })).toMatchObject({ status: 201 });
  });

  it('verify queries up to the head of the chain (I9)', async () => {
    gateway.neighbours.answerHead(200, { chainId: 31337, number: 4711 });
    const body = JSON.stringify({ cids: [cidOfContent('x')] });
    const headers = { 'Content-Type': 'application/json' };
    expect((await gateway.send(ada, '/stamps/verify', { method: 'POST', body, headers })).status).toBe(200);
    expect(gateway.neighbours.lookups.at(-1)).toMatchObject({ minBlock: { number: 4711 } });
  });

  it('the gateway is ready', async () => {
    expect((await fetch(`${gateway.internal}/health/ready`)).status).toBe(200);
  });
});
