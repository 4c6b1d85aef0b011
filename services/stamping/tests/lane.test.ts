import { setLocalBalance } from '@indelible/cli/provisioning';
import type { Hex } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signNextBatch } from '../src/batching/sign-batch.ts';
import { collectionRequest, stampRequest } from './support/messages.ts';
import { type RunningLane, runLane } from './support/running-lane.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

const gwei = 10n ** 9n;
const ether = 10n ** 18n;
let fixture: Fixture;
let account: Hex;
let lane: RunningLane | undefined;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(async () => {
  await lane?.stop();
  lane = undefined;
  await fixture.dispose();
});

const address = (): Hex => fixture.lanes[0]!.address;
const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));
const confirmed = (...ids: string[]) =>
  eventually(
    async () => {
      const rows = await fixture.rows(`select id from stamps where id = any($1::uuid[]) and status = 'confirmed'`, [
        ids,
      ]);
      expect(rows).toHaveLength(ids.length);
    },
    { timeoutMs: 30_000 + 5 * ids.length },
  );
const baseFee = async (wei: bigint): Promise<void> => {
  await fixture.anvil.request('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
  await fixture.anvil.mine(1);
  await fixture.readChain();
};

describe('a fee spike', () => {
  it('in which a transaction was signed that costs more than the lane owns ends with the fees: the stamps are confirmed (I11)', async () => {
    await baseFee(1_000_000n * gwei);
    const stuck = stampRequest(account);
    await fixture.request(stuck);
    const batch = await fixture.sign();
    await setLocalBalance(fixture.rpc, address(), ether);
    await expect(fixture.broadcast(batch)).rejects.toThrow(/insufficient funds/i);
    const behind = stampRequest(account);
    await fixture.request(behind);

    lane = await runLane(fixture);
    lane.setBaseFee(1_000_000n * gwei);
    await eventually(() => expect(lane!.balances.at(-1)).toBe(true));
    lane.setBaseFee(gwei);
    await confirmed(stuck.requestId, behind.requestId);
    expect(lane.balances.at(-1)).toBe(false);
    expect(await fixture.rows('select low_funds from lanes where low_funds')).toEqual([]);
  });

  it('in which nothing can be paid signs nothing; afterwards the lane goes on by itself (I11)', async () => {
    await setLocalBalance(fixture.rpc, address(), ether);
    await baseFee(100_000n * gwei);
    lane = await runLane(fixture);
    lane.setBaseFee(100_000n * gwei);
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    lane.wake('waiting');
    await eventually(() => expect(lane!.balances.at(-1)).toBe(true));
    expect(lane.signed).toEqual([]);
    lane.setBaseFee(gwei);
    await confirmed(stamp.requestId);
  });

  it('beyond the cap makes what is signed wait, and it is confirmed when the fees have fallen (I11)', async () => {
    await baseFee(1_000n * gwei);
    lane = await runLane(fixture, { capPerGas: 100n * gwei });
    lane.setBaseFee(1_000n * gwei);
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    lane.wake('waiting');
    await eventually(() => expect(lane!.signed).toHaveLength(1));
    lane.setBaseFee(gwei);
    await confirmed(stamp.requestId);
    const fees = await fixture.rows('select fees from transactions where batch_id = $1', [lane.signed[0]!.batchId]);
    for (const row of fees)
      expect(BigInt((row.fees as { maxFeePerGas: string }).maxFeePerGas)).toBeLessThanOrEqual(100n * gwei);
  });
});

describe('a lane', () => {
  it('never has more in flight than it can pay', async () => {
    // Sixteen million gas at two or three gwei are 0.03 to 0.05 ETH.
    await setLocalBalance(fixture.rpc, address(), ether / 15n);
    const stamps = Array.from({ length: 30 }, () => stampRequest(account));
    await fixture.request(...stamps);
    lane = await runLane(fixture, { maxItems: 3, reserveWei: ether / 100n });
    lane.setBaseFee(gwei);
    await confirmed(...stamps.map(({ requestId }) => requestId));
    expect(await fixture.rows('select batch_id from transactions group by batch_id having count(*) > 1')).toEqual([]);
  });

  it('that can pay a few stamps at a time, but not the largest batch, stamps them all (I11)', async () => {
    // One batch of all of them costs more at two or three gwei, and the largest ten times as much.
    await setLocalBalance(fixture.rpc, address(), ether / 250n);
    const stamps = Array.from({ length: 700 }, () => stampRequest(account));
    await fixture.request(...stamps);
    await baseFee(gwei);
    lane = await runLane(fixture, { reserveWei: ether / 10_000n });
    lane.setBaseFee(gwei);
    await confirmed(...stamps.map(({ requestId }) => requestId));
    expect(lane.balances).toContain(true);
    expect(lane.signed.length).toBeGreaterThan(1);
    expect(await fixture.rows('select 1 from lanes where low_funds')).toEqual([]);
    expect(await fixture.rows('select batch_id from transactions group by batch_id having count(*) > 1')).toEqual([]);
  });

  it('with many batches that wait for finality takes no grants, and nothing that reverted, but goes on with stamps (I12)', async () => {
    // Transactions whose nonces were used by a block that is final much later.
    await fixture.database.query(
      `insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit, nonce_used_block, nonce_used_hash)
       select gen_random_uuid(), $1, $2, 1000000 + n, 'commit', 'signed', 1, 1000000, sha256('') from generate_series(1, 8) n`,
      [fixture.chainId, Buffer.from(address().slice(2), 'hex')],
    );
    await fixture.openAccount(1);
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    lane = await runLane(fixture, { maxInFlight: 1 });
    await confirmed(stamp.requestId);
    expect(lane.signed.map(({ turn }) => turn)).toEqual(['fresh']);
  });

  it('stamps while a thousand grants wait (I12)', async () => {
    await fixture.database.query(
      `insert into accounts (account, grant_nonce, grant_signature, opened_at)
       select decode(lpad(to_hex(n), 40, '0'), 'hex'), 0, decode(repeat('11', 65), 'hex'), '2000-01-01' from generate_series(1, 1000) n`,
    );
    lane = await runLane(fixture, { maxInFlight: 4 });
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    lane.wake('waiting');
    await eventually(
      async () =>
        expect(
          await fixture.rows(`select 1 from stamps where id = $1 and status = 'confirmed'`, [stamp.requestId]),
        ).toHaveLength(1),
      { timeoutMs: 30_000 },
    );
    expect(lane.signed.filter(({ turn }) => turn === 'grants').length).toBeLessThan(100);
  });

  it('signs nothing where nothing fits, and goes on when limits are as before', async () => {
    let isSmall = true;
    lane = await runLane(fixture, {
      limits: () => (isSmall ? { gas: 21_000, transactionBytes: 131_072 } : fixture.signing.limits),
    });
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    const from = await head();
    await eventually(async () => expect(await head()).toBeGreaterThan(from + 3));
    expect(await fixture.rows(`select 1 from batches where status = 'signed'`)).toEqual([]);
    isSmall = false;
    await confirmed(stamp.requestId);
  });
});

describe('after a reorg of many blocks', () => {
  it('all transactions come back unchanged at the speed of the lane, and what is new has its share (I2, I3, I11)', async () => {
    const batches = 85;
    const stampsEach = 300;
    const batchesABlock = 5;
    const other = await fixture.openAccount(1);
    await fixture.settle();
    const stamps = Array.from({ length: batches * stampsEach }, () => stampRequest(account));
    for (let at = 0; at < stamps.length; at += 1_000) await fixture.request(...stamps.slice(at, at + 1_000));
    const ancestor = await head();
    const lease = await fixture.holdLane(fixture.lanes[0]!);
    const fees = { kind: 'eip1559', maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei } as const;
    let gas = 0;
    for (let n = 1; n <= batches; n++) {
      const batch = await signNextBatch({ ...fixture.signing, maxItems: stampsEach }, lease, fees);
      gas = Math.max(gas, batch?.gasLimit ?? 0);
      await fixture.broadcast(batch);
      if (n % batchesABlock === 0) await fixture.anvil.mine(1);
    }
    expect(await fixture.readChain()).toMatchObject({ confirmed: stamps.length });
    const before = await fixture.rows('select batch_id, hash from transactions order by hash');
    // As after a night: stored longer ago than any transaction waits.
    await fixture.database.query(`update transactions set stored_at = stored_at - interval '1 day'`);

    await fixture.anvil.request('anvil_rollback', [(await head()) - ancestor]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.anvil.request('evm_setBlockGasLimit', [`0x${(gas * batchesABlock).toString(16)}`]);
    expect(await fixture.revertTo(ancestor)).toMatchObject({ reverted: stamps.length });
    const fresh = [stampRequest(account), stampRequest(other)];
    await fixture.request(...fresh);
    lane = await runLane(fixture, { replaceAfterMs: 300_000, rebroadcastMs: 600_000 });
    const isSigned = () => expect(lane!.signed.reduce((sum, { items }) => sum + items, 0)).toBe(fresh.length);
    await eventually(isSigned, { timeoutMs: 30_000 });
    const comingBack = await fixture.rows(`select 1 from batches where status = 'signed' and id = any($1::uuid[])`, [
      before.map(({ batch_id }) => batch_id),
    ]);
    expect(comingBack.length).toBeGreaterThan(0);
    await confirmed(...[...stamps, ...fresh].map(({ requestId }) => requestId));
    expect(await fixture.rows('select batch_id from transactions group by batch_id having count(*) > 1')).toEqual([]);
    const after = await fixture.rows('select batch_id, hash from transactions order by hash');
    const isNew = new Set(lane.signed.map(({ batchId }) => batchId));
    expect(after.filter(({ batch_id }) => !isNew.has(batch_id as string))).toEqual(before);
  }, 300_000);
});

describe('turns', () => {
  it('of accounts hold for collections as well: thousands of one account delay no other (I12)', async () => {
    const other = await fixture.openAccount(1);
    await fixture.settle();
    await fixture.database.query(
      `insert into collections (account, cid, name, name_folded, is_pinned, registered_at, version)
       select $1, sha256(n::text::bytea), 'c' || n, 'c' || n, false, now(), 1 from generate_series(1, 3000) n`,
      [Buffer.from(account.slice(2), 'hex')],
    );
    await fixture.requestCollections(collectionRequest(other, 'Mine'));
    await fixture.sign();
    const [mine] = await fixture.rows(`select batch_id from collections where name = 'Mine'`);
    expect(mine?.batch_id).not.toBeNull();
  });

  it('of what reverted: a collection that the chain refuses takes no other batch with it (I12)', async () => {
    const other = await fixture.openAccount(1);
    const bytes = Buffer.from(other.slice(2), 'hex');
    await fixture.database.query('update accounts set granted_block = 0 where account = $1', [bytes]);
    await fixture.requestCollections(collectionRequest(other, 'Refused'), collectionRequest(account, 'Mine'));
    const first = stampRequest(account);
    await fixture.request(first);
    lane = await runLane(fixture);
    await confirmed(first.requestId);
    const created = () => fixture.rows(`select 1 from collections where name = 'Mine' and is_created`);
    await eventually(async () => expect(await created()).toHaveLength(1), { timeoutMs: 30_000 });
    const stamps = Array.from({ length: 20 }, () => stampRequest(account));
    for (const stamp of stamps) {
      await fixture.request(stamp);
      lane.wake('waiting');
      await confirmed(stamp.requestId);
    }
    const reverted = await fixture.rows(`select sum(reverted_batches) as n from stamps where id = any($1::uuid[])`, [
      stamps.map(({ requestId }) => requestId),
    ]);
    expect(reverted).toEqual([{ n: 0 }]);
  });

  it('of stamps leave room for collections: a flood delays no collection for longer than one batch (I12)', async () => {
    const other = await fixture.openAccount(1);
    await fixture.settle();
    await fixture.request(...Array.from({ length: 40 }, () => stampRequest(account)));
    await fixture.requestCollections(collectionRequest(other, 'Mine'));
    const key = fixture.lanes[0]!;
    const lease = await fixture.holdLane(key);
    const fees = { kind: 'eip1559', maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei } as const;
    await signNextBatch({ ...fixture.signing, maxItems: 10 }, lease, fees);
    const [mine] = await fixture.rows(`select batch_id from collections where name = 'Mine'`);
    expect(mine?.batch_id).not.toBeNull();
  });
});
