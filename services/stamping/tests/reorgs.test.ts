import type { Hex } from '@indelible/identifiers';
import { BlocksFinalized, BlocksReverted, BlocksSafe } from '@indelible/messages';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterAll(() => fixture.dispose());

const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));

/** Stamps of one identity, each new, since its window holds no other. */
const sameIdentity = (count: number) => {
  const first = stampRequest(account, { idempotency: { windowSeconds: 0 } });
  return [
    first,
    ...Array.from({ length: count - 1 }, () =>
      stampRequest(account, { objectCid: first.objectCid, idempotency: { windowSeconds: 0 } }),
    ),
  ];
};

/** The newest blocks vanish from the chain, their transactions from every pool. */
async function loseBlocks(count: number): Promise<{ reverted: number }> {
  const ancestor = (await head()) - count;
  await fixture.anvil.request('anvil_rollback', [count]);
  await fixture.anvil.request('anvil_dropAllTransactions', []);
  const { reverted } = await fixture.revertTo(ancestor);
  return { reverted };
}

/** Broadcasts stored transactions again; mines and reads everything. */
async function recover(): Promise<void> {
  await fixture.anvil.mine(1);
  await fixture.tend();
  await fixture.settle();
  await fixture.tend();
  await fixture.settle();
}

const confirmedOnce = async (objectCid: Hex, expected: number): Promise<void> => {
  const stamps = await fixture.rows('select status, transaction_hash, log_index from stamps where object_cid = $1', [
    Buffer.from(objectCid.slice(2), 'hex'),
  ]);
  expect(stamps.map(({ status }) => status)).toEqual(Array.from({ length: expected }, () => 'confirmed'));
  const logs = await fixture.rpc.call<unknown[]>('eth_getLogs', [
    { address: fixture.contract, fromBlock: '0x0', topics: [null, null, objectCid] },
  ]);
  expect(logs).toHaveLength(expected);
};

describe('a reorg and several exclusive stamps of one identity (I2, I4, I11)', () => {
  it('takes back a confirmed stamp while a later one of its identity waits', async () => {
    const [first, second] = sameIdentity(2);
    await fixture.request(first!);
    await fixture.settle();
    expect((await fixture.request(second!)).counts).toMatchObject({ new: 1 });
    expect(await loseBlocks(1)).toEqual({ reverted: 1 });
    const joining = stampRequest(account, { objectCid: first!.objectCid });
    expect((await fixture.request(joining)).counts).toMatchObject({ joined: 1 });
    await recover();
    await confirmedOnce(first!.objectCid, 2);
  });

  it.each([2, 3])('takes back %i confirmed stamps at once', async (count) => {
    const requests = sameIdentity(count);
    for (const request of requests) {
      expect((await fixture.request(request)).counts).toMatchObject({ new: 1 });
      await fixture.settle();
    }
    expect(await loseBlocks(count)).toEqual({ reverted: count });
    await recover();
    await confirmedOnce(requests[0]!.objectCid, count);
    const repeat = await fixture.request(stampRequest(account, { objectCid: requests[0]!.objectCid }));
    expect(repeat.counts).toMatchObject({ repeated: 1 });
  });

  it('takes back the later stamp first and the earlier one with the next reorg', async () => {
    const [first, second, third] = sameIdentity(3);
    for (const request of [first!, second!]) {
      await fixture.request(request);
      await fixture.settle();
    }
    expect(await loseBlocks(1)).toEqual({ reverted: 1 });
    expect((await fixture.request(third!)).counts).toMatchObject({ joined: 1 });
    expect(await loseBlocks(1)).toEqual({ reverted: 1 });
    await recover();
    await confirmedOnce(first!.objectCid, 2);
  });

  it('an identity whose stamp was taken back is decided once by requests at the same moment (I2)', async () => {
    const [first] = sameIdentity(1);
    await fixture.request(first!);
    await fixture.settle();
    const { objectCid } = first!;
    const racing = Array.from({ length: 6 }, () =>
      stampRequest(account, { objectCid, idempotency: { windowSeconds: 0 } }),
    );
    await Promise.all([loseBlocks(1), ...racing.map((request) => fixture.request(request))]);
    await recover();
    const exclusive = await fixture.rows('select id from stamps where object_cid = $1', [
      Buffer.from(objectCid.slice(2), 'hex'),
    ]);
    // The one taken back, and at most one decided before that was known.
    expect(exclusive.length).toBeLessThanOrEqual(2);
    await confirmedOnce(objectCid, exclusive.length);
  });
});

describe('facts of another chain', () => {
  it('change nothing of this one', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    const before = await fixture.rows('select * from chain_cursor');
    const hash: Hex = `0x${'ab'.repeat(32)}`;
    const other = fixture.chainId + 1;
    const number = await head();
    const { data: block, contract } = await fixture.blockMessage(number);
    const outcome = await handleChainFacts(fixture.facts, [
      incoming(BlocksSafe, { chainId: other, number, hash }),
      incoming(BlocksFinalized, { chainId: other, number, hash }),
      incoming(BlocksReverted, { chainId: other, ancestor: { number: 0, hash }, revertedHead: { number, hash } }),
      incoming(contract, { ...block, chainId: other, number: 1, parentHash: hash }),
    ]);
    expect(outcome).toMatchObject({ reverted: 0, confirmed: 0 });
    expect(await fixture.rows('select * from chain_cursor')).toEqual(before);
    expect(await fixture.rows('select status from stamps where id = $1', [request.requestId])).toEqual([
      { status: 'confirmed' },
    ]);
    expect(await fixture.rows(`select 1 from batches where status = 'finalized'`)).toEqual([]);
    expect(await fixture.rows('select 1 from accounts where granted_block is null')).toEqual([]);
  });
});
