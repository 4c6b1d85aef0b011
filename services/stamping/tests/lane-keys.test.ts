import { encodeAddLane, encodeRemoveLane, laneTypedData } from '@indelible/commitment-contract';
import { type SignedTransaction, sendRawTransaction, signTransaction } from '@indelible/ethereum';
import { hashTypedData, openKmsSigner } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { eventually, type TestKms, testKms } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSharedFunds, noteFunds } from '../src/batching/noted-funds.ts';
import { stampRequest } from './support/messages.ts';
import { type RunningLane, runLane } from './support/running-lane.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

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

const statuses = async (...ids: string[]): Promise<unknown[]> => {
  const rows = await fixture.rows('select id, status from stamps where id = any($1::uuid[])', [ids]);
  return ids.map((id) => rows.find((row) => row.id === id)?.status);
};
const confirmed = (...ids: string[]) =>
  eventually(async () => expect(await statuses(...ids)).toEqual(ids.map(() => 'confirmed')), { timeoutMs: 30_000 });
const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));
const blocks = async (count: number): Promise<void> => {
  const from = await head();
  await eventually(async () => expect(await head()).toBeGreaterThanOrEqual(from + count), { timeoutMs: 20_000 });
};

/** What accounts may share, of all lanes. */
const shared = async () => (await loadSharedFunds(fixture.database)).freeWei;

describe('a lane whose key is in AWS KMS', () => {
  let kms: TestKms;
  let signer: Awaited<ReturnType<typeof openKmsSigner>>;
  const before = { ...process.env };
  beforeEach(async () => {
    kms = await testKms();
    kms.createKey('alias/lane-0', fixture.lanes[0]!.privateKey);
    Object.assign(process.env, kms.environment);
    signer = await openKmsSigner({ keys: ['alias/lane-0'], timeoutMs: 2_000 });
  });
  afterEach(async () => {
    signer.close();
    await kms.stop();
    process.env = { ...before };
  });

  it('stamps, with one signature a batch', async () => {
    const stamps = Array.from({ length: 20 }, () => stampRequest(account));
    await fixture.request(...stamps);
    lane = await runLane(fixture, { signer });
    await confirmed(...stamps.map(({ requestId }) => requestId));
    expect(lane.ready()).toBe(true);
    expect(kms.requests.Sign).toBe(lane.signed.length);
  });

  it.each(['gone', 'silent', 'ThrottlingException', 'DisabledException'] as const)(
    'signs nothing while KMS is in trouble (%s) and is not ready; what is signed is confirmed, and it goes on by itself (I3, I11)',
    async (mood) => {
      const stuck = stampRequest(account);
      await fixture.request(stuck);
      await fixture.sign();
      const [{ next_nonce: nonce } = {}] = await fixture.rows('select next_nonce from lanes');
      kms.become(mood);
      lane = await runLane(fixture, { signer, replaceAfterMs: 1 });
      const waiting = stampRequest(account);
      await fixture.request(waiting);
      lane.wake('waiting');
      await eventually(() => expect(lane!.ready()).toBe(false));
      await confirmed(stuck.requestId);
      await blocks(10);
      expect(await statuses(waiting.requestId)).toEqual(['requested']);
      expect(await fixture.rows('select next_nonce from lanes')).toEqual([{ next_nonce: nonce }]);
      expect(lane.signed).toEqual([]);
      // Funds it cannot spend are not shared (I12), and clients are accepted as before.
      await eventually(async () => expect(await shared()).toBe(0n));
      expect(await fixture.rows('select 1 from lanes where low_funds')).toEqual([]);

      kms.become('well');
      await confirmed(waiting.requestId);
      await eventually(async () => expect(await shared()).toBeGreaterThan(0n));
      await eventually(() => expect(lane!.ready()).toBe(true));
    },
    60_000,
  );
});

describe('a lane that the operator has not granted', () => {
  const sent = async (transaction: SignedTransaction): Promise<void> => {
    await sendRawTransaction(fixture.rpc, transaction.rawTransaction);
    await fixture.anvil.mine(1);
  };
  /** Like a cold operator: signed elsewhere. */
  const byOperator = async (nonce: number, data: Hex): Promise<void> =>
    sent(
      signTransaction(
        {
          ...{ chainId: fixture.chainId, nonce, to: fixture.contract, data, gasLimit: 200_000 },
          ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n },
        },
        fixture.operatorKey.privateKey,
      ),
    );
  const operatorNonce = async (): Promise<number> =>
    Number(await fixture.rpc.call('eth_getTransactionCount', [fixture.operator, 'latest']));
  const remove = async (address: Hex): Promise<void> =>
    byOperator(await operatorNonce(), encodeRemoveLane({ lane: address }));
  const grant = async (key: Fixture['lanes'][number], nonce: bigint): Promise<void> => {
    const at = { chainId: fixture.chainId, contract: fixture.contract };
    const consent = laneTypedData(at, { operator: fixture.operator, nonce });
    const signature = await key.sign(hashTypedData(consent));
    await byOperator(await operatorNonce(), encodeAddLane({ lane: key.address, signature }));
  };

  it('takes nothing and is not ready; when the grant is in a block it goes on by itself (I11)', async () => {
    const key = fixture.lanes[0]!;
    await remove(key.address);
    lane = await runLane(fixture);
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    lane.wake('waiting');
    await eventually(() => expect(lane!.ready()).toBe(false));
    await blocks(10);
    expect(lane.signed).toEqual([]);
    expect(await statuses(stamp.requestId)).toEqual(['requested']);
    await grant(key, 1n);
    await confirmed(stamp.requestId);
    expect(lane.ready()).toBe(true);
  });

  it('adds nothing to what accounts share, neither before its grant nor after it, and hides nothing of the others (I12)', async () => {
    const [key, other] = fixture.lanes as [Fixture['lanes'][number], Fixture['lanes'][number]];
    await fixture.leaseOf(other);
    await noteFunds(fixture.database, other.address, { low: false, freeWei: 5n, gasPriceWei: 1n });
    await remove(key.address);
    lane = await runLane(fixture);
    await eventually(() => expect(lane!.ready()).toBe(false));
    await eventually(async () => expect(await shared()).toBe(5n));
    await grant(key, 1n);
    await eventually(async () => expect(await shared()).toBeGreaterThan(5n));
    await remove(key.address);
    await eventually(async () => expect(await shared()).toBe(5n));
    expect(await fixture.rows('select 1 from lanes where low_funds')).toEqual([]);
  }, 60_000);

  it('any more fails no stamp: what it had signed reverts, and another lane records it once (I2, I6)', async () => {
    const [removed, other] = fixture.lanes;
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    const batch = await fixture.sign(removed);
    await remove(removed!.address);
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    await fixture.readChain();
    await fixture.finalize();
    await fixture.tend({}, removed);
    expect(await fixture.rows('select status from batches where id = $1', [batch?.batchId])).toEqual([
      { status: 'reverted' },
    ]);
    expect(await statuses(stamp.requestId)).toEqual(['requested']);
    await fixture.broadcast(await fixture.sign(other));
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
  });
});
