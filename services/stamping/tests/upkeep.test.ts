import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dropRaw } from '../src/batching/raw-keeper.ts';
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
});
