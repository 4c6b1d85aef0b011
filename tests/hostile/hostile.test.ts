import type { Socket } from 'node:net';
import { consumerGroups, type TopicName, topics } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Api } from '../contract/support/api.ts';
import type { ContractStack } from '../contract/support/contract-stack.ts';
import { bytesOf } from '../contract/support/raw-http.ts';
import { expectRefusal } from '../contract/support/refusal.ts';
import { poison } from '../outages/support/disturbances.ts';
import { accountCases } from './cases/accounts.ts';
import { chainCases } from './cases/chain.ts';
import { historyCases } from './cases/histories.ts';
import { gwei, hex } from './support/chain-control.ts';
import { type HostileSystem, startHostileSystem } from './support/hostile-system.ts';
import { countDeadLetters, deadLetterIds, publishAsService, unstorableMessages } from './support/poison.ts';
import { sendThenReset, standStill } from './support/sockets.ts';
import { batchOfNoAddress, callAsStranger } from './support/strangers.ts';
import { expectOrdinaryStamp, freshCid, recoveryMs } from './support/tenants.ts';

jest.setTimeout(4 * recoveryMs);

let system: HostileSystem;
let stack: ContractStack;
/** The tenant that causes the fault, and another. */
let ada: Api;
let bob: Api;
beforeAll(async () => {
  system = await startHostileSystem();
  ({ stack, ada, bob } = system);
});
afterAll(() => system?.stop());

const expectServiceGoesOn = (): Promise<void> => system.expectServiceGoesOn();

describe('a connection', () => {
  it.each([
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['HTTP/2 without a handshake', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100a1010000', 'hex')],
    ['an expectation', 'POST /api/v1/stamps HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 5\r\n\r\n'],
    ['half a header', 'GET /api/v1/users/me HTTP/1.1\r\nHos'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['an endless header', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}`],
  ])('with %s, reset before its answer is read, ends no process (I11)', async (_what, bytes) => {
    await Promise.all(Array.from({ length: 20 }, () => sendThenReset(ada.port, bytes)));
    expect((await ada.get('/users/me')).status).toBe(200);
  });

  it('after all of these an ordinary stamp is confirmed (I11)', expectServiceGoesOn);
});

describe('one request', () => {
  it('with U+0000 in a description is a 400 that names it; stamps and collections go on (I11)', async () => {
    expectRefusal(await ada.postJson('/collections', { name: 'Nul', description: 'a\u0000b' }), 400, /description/);
    expect((await bob.postJson('/collections', { name: 'After' })).status).toBe(201);
    await expectServiceGoesOn();
  });

  it('cannot be confirmed with two windows of zero and then stop a reorganisation (I4, I11)', async () => {
    const data_cid = freshCid();
    const twice = { data_cid, idempotency_window: '0' };
    expect((await ada.stamp(twice)).status).toBe(201);
    expect((await ada.stamp(twice)).status).toBe(201);
    await stack.anvil.reorg(6);
    await expectServiceGoesOn();
    await eventually(
      async () => {
        const { body } = await ada.postJson('/stamps/verify', { cids: [data_cid], filter_by_user: true });
        expect(body.stamp_list).toHaveLength(2);
      },
      { timeoutMs: recoveryMs },
    );
  });
});

describe('one message', () => {
  it('that no database can hold, in each topic that a service reads, is set aside, though it passed every edge (I11, I12)', async () => {
    const account = stack.connection.userAddress.toLowerCase() as `0x${string}`;
    const messages = [1, 2, 3].flatMap(() => unstorableMessages(account));
    await publishAsService(stack.connection, stack.topicPrefix, messages);
    expect((await bob.postJson('/collections', { name: 'Beside the poison' })).status).toBe(201);
    await expectServiceGoesOn();
    await eventually(
      async () => {
        const asides = await deadLetterIds(stack.connection, stack.topicPrefix, [
          ...new Set(messages.map(({ contract }) => contract.topic)),
        ]);
        // Stamping refuses its commands for their text: these are handled. Everything else is set aside.
        const { rows: handled } = await stack.pool.query<{ message_id: string }>(
          'select message_id from stamping.inbox where message_id = any($1::uuid[])',
          [messages.map(({ id }) => id)],
        );
        const refused = new Set(handled.map(({ message_id }) => message_id));
        const left = messages.filter(({ id }) => asides.has(id) === refused.has(id as string));
        expect(left.map(({ contract }) => contract.type)).toEqual([]);
        expect(refused.size).toBe(2 * 3);
      },
      { timeoutMs: recoveryMs, intervalMs: 500 },
    );
  });

  it('that nobody can read, in each topic, stops nothing (I11)', async () => {
    const { connection, topicPrefix } = stack;
    const names = Object.keys(topics) as TopicName[];
    // No service consumes events.requests: its record stays where it is.
    const read = new Set<TopicName>(Object.values(consumerGroups).flat());
    expect(names.filter((topic) => !read.has(topic))).toEqual(['events.requests']);
    const before = await countDeadLetters(connection, topicPrefix);
    await poison(
      connection.kafkaBrokers,
      names.map((topic) => `${topicPrefix}${topic}`),
    );
    await expectServiceGoesOn();
    await eventually(
      async () => {
        const now = await countDeadLetters(connection, topicPrefix);
        expect([...read].filter((topic) => (now.get(topic) ?? 0) <= (before.get(topic) ?? 0))).toEqual([]);
      },
      { timeoutMs: recoveryMs, intervalMs: 500 },
    );
  });
});

describe('a stranger on the chain', () => {
  it('whose batch names a user that is no address changes nothing (I11)', async () => {
    const { contractAddress } = stack.connection;
    const cid = freshCid() as `0x${string}`;
    await callAsStranger(stack.anvil, contractAddress, batchOfNoAddress(cid));
    await expectServiceGoesOn();
    expect((await ada.postJson('/stamps/verify', { cids: [cid] })).body.stamp_list).toEqual([]);
  });
});

describe('the fees', () => {
  it('may leap beyond what the lane can pay: a stamp under way is confirmed once they are low again (I6, I11)', async () => {
    const { body } = await expectOrdinaryStamp(ada);
    const hash = body.commitment_receipt?.transaction_hash;
    const { from: lane } = await stack.anvil.request<{ from: string }>('eth_getTransactionByHash', [hash]);
    const balance = await stack.anvil.request<string>('eth_getBalance', [lane, 'latest']);
    try {
      // Enough for ordinary batches, but not for one at the coming fees.
      await stack.anvil.request('anvil_setBalance', [lane, hex(gwei * gwei)]);
      await stack.anvil.request('anvil_setNextBlockBaseFeePerGas', [hex(100_000n * gwei)]);
      const accepted = await ada.stamp({ data_cid: freshCid() }, ['Prefer: respond-async']);
      expect(accepted.status).toBe(202);
      await stack.anvil.mine(2);
      await stack.anvil.request('anvil_setNextBlockBaseFeePerGas', [hex(gwei)]);
      await eventually(
        async () => {
          const { body } = await ada.get(`/stamps/${accepted.body.id}`);
          expect(body.status).toMatch(/^(confirmed|finalized)$/);
        },
        { timeoutMs: recoveryMs },
      );
      await expectServiceGoesOn();
    } finally {
      await stack.anvil.request('anvil_setBalance', [lane, balance]);
    }
  });
});

describe('one tenant', () => {
  let standing: Socket[] = [];
  afterAll(() => {
    for (const socket of standing) socket.destroy();
  });

  it('whose twelve uploads to /collections/verify stand still keeps no other from verifying (I12)', async () => {
    const { body } = await expectOrdinaryStamp(bob);
    const receipt = body.commitment_receipt;
    const object = { cid: receipt?.object_cid, timestamp: receipt?.timestamp };
    const row = `${JSON.stringify(object)},`;
    const request = bytesOf({
      path: '/api/v1/collections/verify',
      headers: [ada.authorization, 'Content-Type: application/json'],
      body: `{"objects":[${row.repeat(6_000)}`,
      length: 100_000_000,
    });
    standing = await Promise.all(Array.from({ length: 12 }, () => standStill(ada.port, request)));
    for (let times = 0; times < 5; times++)
      expect((await bob.postJson('/collections/verify', { objects: [object] })).status).toBe(200);
    await expectServiceGoesOn();
  });

  it('whose forms stand still at half their data keeps no other from stamping (I12)', async () => {
    const request = bytesOf({
      path: '/api/v1/stamps',
      headers: [ada.authorization, 'Content-Type: application/x-www-form-urlencoded'],
      body: `data=${'x'.repeat(60_000)}`,
      length: 64_000,
    });
    const sockets = await Promise.all(Array.from({ length: 500 }, () => standStill(ada.port, request)));
    try {
      await expectOrdinaryStamp(bob);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await expectServiceGoesOn();
  });
});

accountCases(() => system);
chainCases(() => system);
historyCases(() => system);

describe('after all of these, public events', () => {
  it('are whole: each account has its own, each once by its id, in order (I5, I12)', () =>
    system.events.untilWhole(2 * recoveryMs));
});
