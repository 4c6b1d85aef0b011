import type { AddressInfo } from 'node:net';
import type { Hex } from '@indelible/identifiers';
import { isMessage } from '@indelible/kafka';
import { BlockAppended, type StagedContent } from '@indelible/messages';
import { planning } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { readsOfWholeTables, recordStatements } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { findConfirmations } from '../src/receipts/confirmations-of-stamps.ts';
import { findStampsOfReceipts } from '../src/receipts/stamps-of-receipts.ts';
import { schema } from '../src/schema.ts';
import { createRoutes } from '../src/service.ts';
import { randomCid, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

const statements = recordStatements();
let fixture: Fixture;
let account: Hex;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterAll(() => fixture.dispose());

const zero: Hex = `0x${'0'.repeat(64)}`;
const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));

/** Where the newest block has the object, as verification stores it. */
async function placesOf(objectCid: Hex) {
  const block = await fixture.blockMessage(await head());
  const logs = isMessage(block, BlockAppended) ? block.data.logs : [];
  return logs.flatMap((log) =>
    log.objectCid === objectCid ? [{ transactionHash: log.transactionHash, logIndex: log.logIndex }] : [],
  );
}

const find = (objectCid: Hex, places: Awaited<ReturnType<typeof placesOf>>) =>
  findStampsOfReceipts(fixture.database, { account, setCid: zero, objectCid, places });

/** Stamps of one object, each new, beside others of the same transaction. */
async function broadcastBatch(count: number) {
  const objectCid = randomCid();
  const own = Array.from({ length: count }, () =>
    stampRequest(account, { objectCid, idempotency: null, clientRef: 'row 1' }),
  );
  await fixture.request(stampRequest(account), ...own, stampRequest(account));
  const batch = await fixture.sign();
  await fixture.broadcast(batch);
  await fixture.anvil.mine(1);
  return { objectCid, stampIds: own.map(({ requestId }) => requestId) };
}

describe('the stamps of receipts', () => {
  it('are known before their block is read, since a transaction is stored before it is broadcast (I3), and afterwards', async () => {
    const { objectCid, stampIds } = await broadcastBatch(3);
    const places = await placesOf(objectCid);
    expect(places).toHaveLength(3);
    const facts = { collectionName: null, requestId: null, clientRef: 'row 1' };
    const stamps = (isRecorded: boolean) => stampIds.map((stampId) => ({ stampId, isRecorded, ...facts }));
    expect(await find(objectCid, places)).toEqual(stamps(false));
    await fixture.readChain();
    expect(await find(objectCid, places)).toEqual(stamps(true));
    expect(await find(objectCid, places.toReversed())).toEqual(stamps(true).toReversed());
    expect(await find(objectCid, places.slice(0, 1))).toEqual(stamps(true).slice(0, 1));
  });

  it('are the same after a reorg that moved them, by their former receipts and by the new ones (I4)', async () => {
    const { objectCid, stampIds } = await broadcastBatch(2);
    const former = await placesOf(objectCid);
    await fixture.readChain();
    await fixture.anvil.request('anvil_rollback', [1]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.revertTo(await head());
    const idsOf = async (places: typeof former) =>
      (await find(objectCid, places)).map((one) => (one === 'not-recorded' ? one : one?.stampId));
    expect(await idsOf(former)).toEqual(stampIds);
    await fixture.anvil.mine(1);
    await fixture.tend();
    await fixture.anvil.mine(1);
    const moved = await placesOf(objectCid);
    expect(moved).toHaveLength(2);
    expect(await idsOf(moved)).toEqual(stampIds);
    await fixture.readChain();
    for (const places of [former, moved]) expect(await idsOf(places)).toEqual(stampIds);
    expect(
      (await findConfirmations(fixture.database, fixture.chainId, stampIds)).map((one) => one.receipt),
    ).toMatchObject(moved);
  });

  it('are none of a transaction that is not ours', async () => {
    const { objectCid } = await broadcastBatch(1);
    const [place] = await placesOf(objectCid);
    await fixture.readChain();
    const foreign = { transactionHash: randomCid(), logIndex: 0 };
    expect(await find(objectCid, [foreign, place!])).toMatchObject([null, { isRecorded: true }]);
  });

  it('are not recorded yet where a transaction of ours has no stamp left for a log: it is recorded in another batch (I4)', async () => {
    const { objectCid, stampIds } = await broadcastBatch(1);
    const [place] = await placesOf(objectCid);
    await fixture.readChain();
    const further = { ...place!, logIndex: place!.logIndex + 100 };
    expect(await find(objectCid, [place!, further])).toMatchObject([{ isRecorded: true }, 'not-recorded']);
    const { rows } = await fixture.database.query<{ batch_id: string }>('select batch_id from stamps where id = $1', [
      stampIds[0],
    ]);
    const recordedIn = (batchId: string | undefined) =>
      fixture.database.query('update stamps set batch_id = $2 where id = $1', [stampIds[0], batchId]);
    await recordedIn('00000000-0000-4000-8000-000000000002');
    expect(await find(objectCid, [place!])).toEqual(['not-recorded']);
    await recordedIn(rows[0]?.batch_id);
    expect(await find(objectCid, [place!])).toMatchObject([{ stampId: stampIds[0], isRecorded: true }]);
  });
});

it('confirmations are of confirmed stamps alone, and of those without content of their own', async () => {
  const content: StagedContent = {
    ...{ stagedId: '00000000-0000-4000-8000-000000000001', objectCid: randomCid(), size: 1, crc32c: 1, fileName: 'a' },
  };
  const [plain, filed] = [stampRequest(account), stampRequest(account, { objectCid: content.objectCid, content })];
  await fixture.request(plain, filed);
  const ids = [plain.requestId, filed.requestId];
  expect(await findConfirmations(fixture.database, fixture.chainId, ids)).toEqual([]);
  await fixture.settle();
  expect(await findConfirmations(fixture.database, fixture.chainId, ids)).toMatchObject([
    { stampId: plain.requestId, receipt: { account, objectCid: plain.objectCid }, collectionName: null },
  ]);
});

it('answers storage over HTTP, and refuses what has another shape or more than a command has', async () => {
  const { objectCid, stampIds } = await broadcastBatch(1);
  await fixture.readChain();
  const logger = createLogger({ service: 'test', level: 'silent' });
  const { database, chainId } = fixture;
  const server = express().use(createRoutes({ database, chainId, logger })).listen(0, '127.0.0.1');
  const post = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/stamps/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()];
  };
  try {
    const places = await placesOf(objectCid);
    const query = { account, setCid: zero, objectCid, places };
    expect(await post('of-receipts', query)).toMatchObject([200, { stamps: [{ stampId: stampIds[0] }] }]);
    const many = Array.from({ length: 501 }, () => places[0]);
    for (const wrong of [{ ...query, places: [] }, { ...query, places: many }, { ...query, account: '0x1' }, {}])
      expect((await post('of-receipts', wrong))[0]).toBe(400);
    expect(await post('confirmations', { stampIds })).toMatchObject([
      200,
      { confirmations: [{ stampId: stampIds[0] }] },
    ]);
    expect((await post('confirmations', { stampIds: ['x'] }))[0]).toBe(400);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

it('reads no whole table for it, even if it was planned when nothing was there', async () => {
  statements.stop();
  const texts = statements.texts().filter((text) => /"stampIds?"|hash, batch_id from transactions/.test(text));
  expect(texts.length).toBeGreaterThan(2);
  expect(await readsOfWholeTables(texts, { url: fixture.databaseUrl, schema, settings: planning })).toEqual([]);
});
