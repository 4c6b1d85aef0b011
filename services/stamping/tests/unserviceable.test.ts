import { randomUUID } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import type { AddressedReply } from '@indelible/messages';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { endUnserviceable } from '../src/accounts/end-unserviceable.ts';
import { grantRevoked } from '../src/accounts/unserviceable-accounts.ts';
import { failWaitingStamps, mostFailed } from '../src/confirming/fail-stamps.ts';
import { collectionRequest, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
let other: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  other = await fixture.openAccount(1);
  await fixture.settle();
});
afterEach(() => fixture.dispose());

const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');
const revoke = () =>
  fixture.pool.query('update stamping.accounts set revoked_block = 9 where account = $1', [bytes(account)]);
const end = async (): Promise<{ failed: number; replies: AddressedReply[] }> => {
  const replies: AddressedReply[] = [];
  const failed = await endUnserviceable(fixture.database, async (some) => void replies.push(...some));
  return { failed, replies };
};
const statuses = () =>
  fixture.rows('select account, status, count(*)::int as stamps from stamps group by 1, 2 order by count(*) desc');

describe('stamps that wait for an account without a grant (I6)', () => {
  it('fail with the reason, however they came to wait, those who joined them too; others are left alone', async () => {
    const waiting = stampRequest(account, { replyTo: 'gateway-2' });
    const joining = stampRequest(account, { objectCid: waiting.objectCid, replyTo: 'gateway-3' });
    await fixture.request(waiting, stampRequest(other));
    await fixture.request(joining);
    // As for a request decided while the revocation is read.
    await revoke();
    expect(await fixture.sign()).toMatchObject({ items: 1 });
    const { failed, replies } = await end();
    expect(failed).toBe(1);
    expect(replies.map(({ replyTo, reply }) => [replyTo, reply.kind === 'refused' && reply.refusal.code])).toEqual([
      ['gateway-2', 'grant-revoked'],
      ['gateway-3', 'grant-revoked'],
    ]);
    expect(await fixture.rows('select 1 from waiting_stamps')).toEqual([]);
    expect(await end()).toEqual({ failed: 0, replies: [] });
  });

  it('fail in bounded transactions, however many they are', async () => {
    const requests = Array.from({ length: mostFailed + 10 }, () => stampRequest(account, { idempotency: null }));
    await fixture.request(...requests);
    await revoke();
    expect((await end()).failed).toBe(mostFailed + 10);
    expect(await statuses()).toEqual([{ account: bytes(account), status: 'failed', stamps: mostFailed + 10 }]);
  });

  it('collections that wait are refused with the reason, and make no transaction; granted again and requested, they are recorded', async () => {
    const request = collectionRequest(account, 'Waiting', { replyTo: 'gateway-4' });
    await fixture.requestCollections(request, collectionRequest(account, 'Reverted', { replyTo: 'gateway-5' }));
    await fixture.pool.query(`update stamping.collections set reverted_batches = 3 where name = 'Reverted'`);
    await revoke();
    expect(await fixture.sign()).toBeUndefined();
    const { replies } = await end();
    expect(
      replies.map(({ replyTo, reply }) => [replyTo, reply.kind === 'refused' && reply.refusal.code]).toSorted(),
    ).toEqual([
      ['gateway-4', 'grant-revoked'],
      ['gateway-5', 'grant-revoked'],
    ]);
    expect(await fixture.rows('select 1 from collection_requests')).toEqual([]);
    expect(await end()).toEqual({ failed: 0, replies: [] });

    await fixture.pool.query('update stamping.accounts set revoked_block = null');
    expect(await fixture.sign()).toBeUndefined();
    await fixture.requestCollections({ ...request, requestId: randomUUID() });
    expect((await fixture.settle()).replies.map(({ reply }) => reply.kind)).toEqual(['collection-created']);
  });

  it('nothing fails of an account that granted again before', async () => {
    await fixture.request(stampRequest(account));
    expect(await fixture.database.transaction((client) => failWaitingStamps(client, account, grantRevoked))).toEqual({
      failed: 0,
      replies: [],
    });
    expect(await fixture.settle()).toMatchObject({ confirmed: 1 });
  });

  it('collections are refused as well', async () => {
    await revoke();
    const { replies } = await fixture.requestCollections(collectionRequest(account, 'Late'));
    expect(replies.map(({ reply }) => reply)).toMatchObject([{ kind: 'refused', refusal: { code: 'grant-revoked' } }]);
    expect(await fixture.rows('select 1 from collections')).toEqual([]);
  });
});

describe('a grant whose transaction reverts (I6, I11)', () => {
  /** Signs the grant and settles its batch as reverted. */
  async function revertGrant(): Promise<void> {
    expect(await fixture.sign()).toMatchObject({ items: 1 });
    await fixture.pool.query(
      `update stamping.batches set status = 'reverted' where kind = 'grant' and status = 'signed'`,
    );
  }

  it('is made again, and the account is stamped for', async () => {
    const late = await fixture.openAccount(2);
    const waiting = stampRequest(late);
    await fixture.request(waiting);
    await revertGrant();
    expect(await fixture.sign()).toBeUndefined();
    expect((await end()).failed).toBe(0);
    // The first one's nonce is never used on this chain: another lane continues.
    for (let round = 0; round < 2; round++) {
      await fixture.broadcast(await fixture.sign(fixture.lanes[1]));
      await fixture.anvil.mine(1);
      await fixture.readChain();
    }
    expect(await fixture.rows('select status from stamps where id = $1', [waiting.requestId])).toEqual([
      { status: 'confirmed' },
    ]);
  });

  it('again and again is refused in the end: what waits fails, and so does what comes', async () => {
    const late = await fixture.openAccount(2);
    await fixture.request(stampRequest(late));
    for (let attempt = 1; attempt <= 3; attempt++) {
      await revertGrant();
      expect((await end()).failed).toBe(attempt === 3 ? 1 : 0);
    }
    expect(await fixture.sign()).toBeUndefined();
    const { replies } = await fixture.request(stampRequest(late));
    expect(replies.map(({ reply }) => reply)).toMatchObject([{ kind: 'refused', refusal: { code: 'grant-refused' } }]);
    expect((await end()).failed).toBe(0);
  });
});
