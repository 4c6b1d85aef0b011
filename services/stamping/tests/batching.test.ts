import type { Hex } from '@indelible/identifiers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LeaseLostError, renewLease, takeLease } from '../src/batching/lane-lease.ts';
import { signNextBatch } from '../src/batching/sign-batch.ts';
import { stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterAll(() => fixture.dispose());

const fees = { kind: 'eip1559', maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n } as const;

describe('a lane', () => {
  it('stores transaction, nonce and items before anything is broadcast (I3)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    const [stored] = await fixture.rows(
      `select b.nonce, b.status, encode(t.raw, 'hex') as raw, b.stamp_ids as stamps from batches b
       join transactions t on t.batch_id = b.id where b.id = $1`,
      [batch?.batchId],
    );
    expect(stored).toEqual({
      nonce: batch?.nonce,
      status: 'signed',
      raw: batch?.transaction.rawTransaction.slice(2),
      stamps: [request.requestId],
    });
    expect(await fixture.rows('select * from waiting_stamps')).toEqual([]);
    expect(await fixture.rpc.call('eth_getTransactionByHash', [batch?.transaction.hash])).toBeNull();
    await fixture.broadcast(batch);
    await fixture.settle();
  });

  it('whose lease another holder took cannot sign: no nonce, no item is used (I3)', async () => {
    const lane = fixture.lanes[1]!;
    const options = { lane: lane.address, chainId: fixture.chainId, firstNonce: 0 };
    const first = await takeLease(fixture.database, { ...options, holder: 'first', leaseMs: -1 });
    const second = await takeLease(fixture.database, { ...options, holder: 'second', leaseMs: 60_000 });
    expect(second?.token).toBe((first?.token ?? 0) + 1);
    expect(await renewLease(fixture.database, first!, 60_000)).toBe(false);
    const request = stampRequest(account);
    await fixture.request(request);
    await expect(signNextBatch(fixture.signing, { ...first!, sign: lane.sign }, fees)).rejects.toThrow(LeaseLostError);
    expect(await fixture.rows('select status from stamps where id = $1', [request.requestId])).toEqual([
      { status: 'requested' },
    ]);
    const batch = await signNextBatch(fixture.signing, { ...second!, sign: lane.sign }, fees);
    expect(batch?.nonce).toBe(0);
    await fixture.broadcast(batch);
    await fixture.settle();
  });

  it('takes other items than a lane that signs at the same moment', async () => {
    const requests = Array.from({ length: 20 }, () => stampRequest(account));
    await fixture.request(...requests);
    await fixture.database.query(`update lanes set lease_until = 'epoch' where lane = $1`, [
      Buffer.from(fixture.lanes[1]!.address.slice(2), 'hex'),
    ]);
    await fixture.leaseOf(fixture.lanes[1]!);
    const batches = await Promise.all([fixture.sign(fixture.lanes[0]), fixture.sign(fixture.lanes[1])]);
    const items = batches.reduce((sum, batch) => sum + (batch?.items ?? 0), 0);
    expect(items).toBe(20);
    for (const batch of batches) if (batch !== undefined) await fixture.broadcast(batch);
    const outcome = await fixture.settle();
    expect(outcome.confirmed).toBe(20);
    expect(outcome.unmatched).toEqual([]);
  });
});

describe('a batch that reverts', () => {
  it('is split until the culprit is alone, which fails; its neighbours are confirmed (I6)', async () => {
    const bad = await fixture.openAccount(1);
    const accountBytes = Buffer.from(bad.slice(2), 'hex');
    // Granted for stamping, and not on the chain: like a revocation in the same block.
    await fixture.database.query('update accounts set granted_block = 0 where account = $1', [accountBytes]);
    const good = Array.from({ length: 5 }, () => stampRequest(account));
    const culprit = stampRequest(bad);
    await fixture.request(...good.slice(0, 2), culprit, ...good.slice(2));

    for (let round = 0; round < 10; round++) {
      for (let batch = await fixture.sign(); batch !== undefined; batch = await fixture.sign())
        await fixture.broadcast(batch);
      await fixture.anvil.mine(1);
      await fixture.readChain();
      await fixture.finalize();
      await fixture.tend();
    }
    const statuses = await fixture.rows('select id, status from stamps where id = any($1::uuid[])', [
      [...good, culprit].map((request) => request.requestId),
    ]);
    expect(Object.fromEntries(statuses.map((row) => [row.id, row.status]))).toEqual(
      Object.fromEntries([...good.map((request) => [request.requestId, 'confirmed']), [culprit.requestId, 'failed']]),
    );
    expect((await fixture.events('StampFailed')).map(({ data }) => data.stampId)).toEqual([culprit.requestId]);
  });
});
