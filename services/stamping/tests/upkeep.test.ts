import { sendRawTransaction, signTransaction } from '@indelible/ethereum';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropRaw } from '../src/batching/raw-keeper.ts';
import type { SignedBatch } from '../src/batching/sign-batch.ts';
import { findUnservedLanes } from '../src/batching/unserved-lanes.ts';
import { stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.dispose());

describe('what lanes leave behind', () => {
  it('the bytes of what is final are dropped after a day, those of what is not are kept; the hashes stay', async () => {
    const account = await fixture.openAccount(0);
    await fixture.settle();
    await fixture.request(stampRequest(account));
    await fixture.settle();
    await fixture.finalize();
    await fixture.request(stampRequest(account));
    const inFlight = await fixture.sign();
    const kept = () => fixture.rows('select batch_id from transactions where raw is not null');
    expect(await dropRaw(fixture.database)).toBe(0);
    await fixture.database.query(`update transactions set stored_at = stored_at - interval '2 days'`);
    expect(await dropRaw(fixture.database)).toBe(2);
    expect(await kept()).toEqual([{ batch_id: inFlight?.batchId }]);
    expect(await fixture.rows('select hash from transactions')).toHaveLength(3);
    await fixture.broadcast(inFlight);
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
  });

  it('a batch whose bytes were dropped is made again after a reorg below finality: each stamp once (I2, I6)', async () => {
    const account = await fixture.openAccount(1);
    await fixture.settle();
    await fixture.finalize();
    const ancestor = Number(await fixture.anvil.request('eth_blockNumber', []));
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    await fixture.settle();
    await fixture.finalize();
    await fixture.database.query('update transactions set raw = null');
    await fixture.anvil.request('anvil_rollback', [1]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.revertTo(ancestor);
    for (let round = 0; round < 4; round++) {
      await fixture.tend();
      await fixture.settle();
      await fixture.finalize();
    }
    expect(await fixture.rows('select status from stamps where id = $1', [stamp.requestId])).toEqual([
      { status: 'confirmed' },
    ]);
    const logs = await fixture.rpc.call<{ topics: string[] }[]>('eth_getLogs', [{ fromBlock: '0x0' }]);
    expect(logs.filter(({ topics }) => topics.includes(stamp.objectCid))).toHaveLength(1);
  });

  it('lanes that no key serves are found while batches of theirs are under way', async () => {
    const [first, second] = fixture.lanes.map(({ address }) => address);
    const account = await fixture.openAccount(2);
    await fixture.settle();
    await fixture.finalize();
    await fixture.request(stampRequest(account));
    const batch = await fixture.sign();
    expect(await findUnservedLanes(fixture.database, fixture.chainId, [first!, second!])).toEqual([]);
    expect(await findUnservedLanes(fixture.database, fixture.chainId, [second!])).toEqual([
      { lane: first, batches: 1 },
    ]);
    await fixture.broadcast(batch);
    await fixture.settle();
    await fixture.finalize();
    expect(await findUnservedLanes(fixture.database, fixture.chainId, [second!])).toEqual([]);
  });

  it('what a lane without a key has sent is settled as the chain has it, and what no block has stays its own (I2, I6)', async () => {
    const [former, present] = fixture.lanes as [Fixture['lanes'][number], Fixture['lanes'][number]];
    const account = await fixture.openAccount(3);
    await fixture.settle();
    const signedStamp = async () => {
      const stamp = stampRequest(account);
      await fixture.request(stamp);
      return { stamp, batch: (await fixture.sign(former)) as SignedBatch };
    };
    const [recorded, lost, unsent] = [await signedStamp(), await signedStamp(), await signedStamp()];
    const stateOf = ({ stamp, batch }: Awaited<ReturnType<typeof signedStamp>>) =>
      fixture.rows(
        `select s.status as stamp, b.status as batch, exists (select from waiting_stamps where stamp_id = s.id) as waits
         from stamps s, batches b where s.id = $1 and b.id = $2`,
        [stamp.requestId, batch.batchId],
      );
    await fixture.broadcast(recorded.batch);
    // Another program has the key, and uses the nonce.
    const [{ nonce } = {}] = await fixture.rows('select nonce from batches where id = $1', [lost.batch.batchId]);
    const { rawTransaction } = signTransaction(
      {
        ...{ chainId: fixture.chainId, nonce: Number(nonce), to: former.address, data: '0x', gasLimit: 21_000 },
        ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n },
      },
      former.privateKey,
    );
    await sendRawTransaction(fixture.rpc, rawTransaction);
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });

    await fixture.settleUnserved(former.address);
    expect(await stateOf(lost)).toEqual([{ stamp: 'requested', batch: 'signed', waits: false }]);
    await fixture.anvil.mine(1);
    await fixture.readChain();
    await fixture.finalize();
    await fixture.settleUnserved(former.address);
    expect(await stateOf(recorded)).toEqual([{ stamp: 'confirmed', batch: 'finalized', waits: false }]);
    expect(await stateOf(lost)).toEqual([{ stamp: 'requested', batch: 'superseded', waits: true }]);
    expect(await stateOf(unsent)).toEqual([{ stamp: 'requested', batch: 'signed', waits: false }]);
    expect(await findUnservedLanes(fixture.database, fixture.chainId, [present.address])).toEqual([
      { lane: former.address, batches: 1 },
    ]);

    await fixture.broadcast(await fixture.sign(present));
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await stateOf(lost)).toEqual([{ stamp: 'confirmed', batch: 'superseded', waits: false }]);
  });
});
