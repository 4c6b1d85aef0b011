import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collectionRequest, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
  // Records the set on the chain, then deletes what is known of it.
  await fixture.requestCollections(collectionRequest(account, 'Lost'));
  await fixture.settle();
  await fixture.pool.query('delete from stamping.collections');
});
afterEach(() => fixture.dispose());

const collections = () => fixture.rows('select created_block, created_time, is_created from collections');
const newest = async () =>
  (await fixture.blockMessage(Number(await fixture.anvil.request('eth_blockNumber', [])))).data;

describe('a set that stood on the chain before its collection was registered (I11)', () => {
  it('makes a collection created as of the block of the batch that would have recorded it, and answers the requests that wait', async () => {
    const request = collectionRequest(account, 'Lost');
    expect((await fixture.requestCollections(request)).counts).toMatchObject({ registered: 1 });
    await fixture.broadcast(await fixture.sign());
    await fixture.anvil.mine(1);
    const { logs, number, time, hash } = await newest();
    expect(logs).toEqual([]);
    await fixture.readChain();
    const { replies } = await fixture.tend();
    expect(await collections()).toEqual([{ created_block: number, created_time: time, is_created: true }]);
    expect(replies.map(({ reply }) => reply)).toMatchObject([
      { requestId: request.requestId, kind: 'collection-created', cid: cidOfCollectionName('Lost') },
    ]);
    const place = { blockNumber: number, blockHash: hash, logIndex: null };
    expect((await fixture.events('CollectionCreated')).at(-1)?.data).toMatchObject(place);
    // Taken back by a reorg, and created again by the same transaction.
    await fixture.anvil.request('anvil_rollback', [1]);
    await fixture.revertTo(number - 1);
    expect(await collections()).toMatchObject([{ created_block: null, is_created: false }]);
    await fixture.tend();
    await fixture.anvil.mine(1);
    await fixture.readChain();
    await fixture.tend();
    expect(await collections()).toMatchObject([{ is_created: true }]);
  });

  it('makes a collection created with the first stamp in it', async () => {
    const request = stampRequest(account, { set: { kind: 'named', name: 'Lost' } });
    await fixture.request(request);
    const { confirmed, replies } = await fixture.settle();
    const { number, time, hash } = await newest();
    expect(confirmed).toBe(1);
    expect(replies.map(({ reply }) => reply)).toMatchObject([{ kind: 'confirmed', stampId: request.requestId }]);
    expect(await collections()).toEqual([{ created_block: number, created_time: time, is_created: true }]);
    const place = { blockNumber: number, blockHash: hash, logIndex: null };
    expect((await fixture.events('CollectionCreated')).at(-1)?.data).toMatchObject(place);
  });
});
