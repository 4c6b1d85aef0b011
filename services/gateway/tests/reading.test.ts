import { checksumAddress, cidOfContent, zeroCid } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Account,
  type AnyBody,
  chainId,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const cid = cidOfContent('verified');
const receipt = {
  transactionHash: `0x${'ab'.repeat(32)}`,
  logIndex: 0,
  blockNumber: 5,
  blockHash: `0x${'cd'.repeat(32)}`,
  blockTime: 1_700_000_000,
  chainId,
  account: `0x${'aa'.repeat(20)}`,
  setCid: zeroCid,
  objectCid: cid,
};
const verify = (body: unknown, who = ada): Promise<GatewayResponse<AnyBody>> =>
  gateway.send(who, '/stamps/verify', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json; charset=UTF-8' },
  });

describe('POST /stamps/verify', () => {
  it('answers receipts as the verification service knows them', async () => {
    gateway.neighbours.answerLookups(200, { receipts: [receipt] });
    expect(await verify({ cids: [cid, `0x${cid.slice(2).toUpperCase()}`] })).toMatchObject({
      status: 200,
      body: {
        display_timezone: 'UTC',
        stamp_list: [
          {
            transaction_hash: receipt.transactionHash,
            user_address: checksumAddress(receipt.account),
            set_cid: zeroCid,
            object_cid: cid,
            timestamp: '2023-11-14T22:13:20+00:00',
            chain_id: chainId,
          },
        ],
      },
    });
    expect(gateway.neighbours.lookups.at(-1)).toEqual({ cids: [cid], minBlock: { chainId, number: 7 } });
  });

  it("queries only the caller's receipts under filter_by_user", async () => {
    gateway.neighbours.answerLookups(200, { receipts: [] });
    await verify({ cids: [cid], filter_by_user: true });
    expect(gateway.neighbours.lookups.at(-1)).toMatchObject({ owner: ada.account });
  });

  it("names the block of the account's newest receipt as soon as it was returned (I9)", async () => {
    const bob = await gateway.openAccount('Bob');
    const blocks: number[] = [];
    gateway.stamping.script(async (command) => {
      const { blockNumber } = await gateway.stamping.confirm(command);
      blocks.push(blockNumber);
    });
    for (const data of ['one', 'two'])
      await gateway.send(bob, '/stamps', { method: 'POST', body: formOf({ data_cid: cidOfContent(data) }) });
    await verify({ cids: [cid] }, bob);
    expect(gateway.neighbours.lookups.at(-1)).toMatchObject({ minBlock: { chainId, number: Math.max(...blocks) } });
  });

  it('is a 503 with Retry-After when the read model is behind, or another service is unavailable', async () => {
    gateway.neighbours.answerLookups(503, { error: 'behind' });
    const behind = await verify({ cids: [cid] });
    expect(behind.status).toBe(503);
    expect(behind.headers.get('Retry-After')).toBe('1');
    gateway.neighbours.answerLookups(200, { receipts: [] });
    gateway.neighbours.answerHead(503, { error: 'no block yet' });
    expect((await verify({ cids: [cid] })).status).toBe(503);
    gateway.neighbours.answerHead(200, { chainId, number: 7 });
  });

  it('is a 503 while a client waits for it, when verification hangs, and not the sum of all time limits on its way (I11)', async () => {
    gateway.neighbours.answerNoLookups();
    const patient = AbortSignal.timeout(28_000);
    const answer = await gateway.send(ada, '/stamps/verify', {
      method: 'POST',
      body: JSON.stringify({ cids: [cid] }),
      headers: { 'Content-Type': 'application/json' },
      signal: patient,
    });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
    gateway.neighbours.answerLookups(200, { receipts: [] });
    expect((await verify({ cids: [cid] })).status).toBe(200);
  });

  it('takes a limit and a cursor, and has a next_cursor only then', async () => {
    gateway.neighbours.answerLookups(200, { receipts: [receipt] });
    expect((await verify({ cids: [cid], limit: null, cursor: null })).body).not.toHaveProperty('next_cursor');
    expect(gateway.neighbours.lookups.at(-1)).not.toHaveProperty('limit');
    expect(await verify({ cids: [cid], limit: 1, cursor: 'last' })).toMatchObject({
      status: 200,
      body: { stamp_list: [{ object_cid: cid }], next_cursor: 'next' },
    });
    expect(gateway.neighbours.lookups.at(-1)).toMatchObject({ limit: 1, cursor: 'last' });
  });

  it('with a cursor of other cids is a 400 that names it', async () => {
    gateway.neighbours.answerLookups(400, { error: 'invalid request', details: 'cursor' });
    const answer = await verify({ cids: [cid], cursor: 'x' });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('cursor')]);
    gateway.neighbours.answerLookups(200, { receipts: [] });
  });

  it.each<[string, unknown, string]>([
    ['no cids', {}, 'cids'],
    ['none of them', { cids: [] }, 'cids'],
    ['more than 10,000', { cids: Array.from({ length: 10_001 }, () => cid) }, 'cids'],
    ['a malformed one', { cids: [cid, '0x12'] }, 'cids/1'],
    ['the zero CID', { cids: [zeroCid] }, 'cids/0'],
    ['one that is no text', { cids: [7] }, 'cids/0'],
    ['text for an array', { cids: cid }, 'cids'],
    ['a filter that is text', { cids: [cid], filter_by_user: 'true' }, 'filter_by_user'],
    ['an unknown key', { cids: [cid], colour: 'red' }, 'colour'],
    ['a limit of none', { cids: [cid], limit: 0 }, 'limit'],
    ['a limit that is too large', { cids: [cid], limit: 10_001 }, 'limit'],
    ['a limit that is text', { cids: [cid], limit: '5' }, 'limit'],
    ['an empty cursor', { cids: [cid], cursor: '' }, 'cursor'],
    ['an array for an object', [], 'body'],
    ['null for an object', null, 'body'],
  ])('with %s is a 400 that names it', async (_what, body, name) => {
    const answer = await verify(body);
    expect(answer.status).toBe(400);
    expect(`${answer.body.error} ${answer.body.details ?? ''}`).toContain(name);
  });
});

describe('GET /users/me', () => {
  it("answers the caller's settings with every key", async () => {
    expect(await gateway.send(ada, '/users/me')).toMatchObject({
      status: 200,
      body: {
        name: 'Ada',
        email: 'ada@example.com',
        persistent_id: expect.any(String),
        description: '',
        display_timezone: 'UTC',
        date_joined: expect.stringMatching(/Z$/),
        last_address: checksumAddress(ada.account),
        last_name: 'Ada',
        last_is_verified: expect.any(Boolean),
        storage_type: 'local',
      },
    });
  });

  it('is verified once a stamp of the account is on the chain', async () => {
    gateway.stamping.confirmAll();
    const cleo = await gateway.openAccount('Cleo');
    await gateway.send(cleo, '/stamps', { method: 'POST', body: formOf({ data_cid: cid }) });
    await eventually(async () =>
      expect((await gateway.send(cleo, '/users/me')).body).toMatchObject({ last_is_verified: true }),
    );
  });
});
