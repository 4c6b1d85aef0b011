import { createRpc, type SignedTransaction, signTransaction } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { eventually, rpcFaultProxy } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LeaseLostError, renewLease, takeLease } from '../src/batching/lane-lease.ts';
import { storeReplacement } from '../src/batching/replace-batch.ts';
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

const statusOf = async (...ids: string[]): Promise<unknown[]> => {
  const rows = await fixture.rows(
    `select s.id, s.status, w.stamp_id is not null as waits from stamps s left join waiting_stamps w on w.stamp_id = s.id
     where s.id = any($1::uuid[])`,
    [ids],
  );
  return ids.map((id) => {
    const { status, waits } = rows.find((row) => row.id === id) ?? {};
    return status === 'requested' ? (waits === true ? 'waits' : 'in a batch') : status;
  });
};
const hashesOf = async (batchId: string | undefined): Promise<Hex[]> =>
  (
    await fixture.rows(
      `select '0x' || encode(hash, 'hex') as hash from transactions where batch_id = $1 order by version`,
      [batchId],
    )
  ).map(({ hash }) => hash as Hex);
const nextBaseFee = (wei: bigint) =>
  fixture.anvil.request('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
const baseFee = async (): Promise<bigint> => {
  const block = (await fixture.anvil.request('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string };
  return BigInt(block.baseFeePerGas);
};

/** A stamp whose transaction waits in the node's pool. */
async function waitingStamp() {
  const request = stampRequest(account);
  await fixture.request(request);
  const batch = await fixture.sign();
  await fixture.broadcast(batch);
  return { request, batch: batch! };
}

describe('a transaction that is not included in time', () => {
  afterEach(async () => {
    await nextBaseFee(10n ** 9n);
    await fixture.anvil.mine(1);
    await fixture.readChain();
  });

  it('is replaced: the same nonce and items, an eighth more at least; the stamp is confirmed once (I2, I3)', async () => {
    const { request, batch } = await waitingStamp();
    expect(await fixture.tend({ replaceAfterMs: 600_000 })).toMatchObject({ replaced: 0 });
    expect(await fixture.tend({ replaceAfterMs: 0 })).toMatchObject({ replaced: 1 });
    const [first, second] = await hashesOf(batch.batchId);
    expect(first).toBe(batch.transaction.hash);
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
    const confirmed = (await fixture.events('StampConfirmed')).find(({ data }) => data.stampId === request.requestId);
    expect(confirmed?.data.receipt).toMatchObject({ transactionHash: second });
    const fees = await fixture.rows('select fees from transactions where batch_id = $1 order by version', [
      batch.batchId,
    ]);
    const [before, after] = fees.map(({ fees }) => BigInt((fees as { maxFeePerGas: string }).maxFeePerGas));
    expect(after! * 8n).toBeGreaterThanOrEqual(before! * 9n);
  });

  it('is replaced at once when the base fee rose above what it offers', async () => {
    const { request } = await waitingStamp();
    await nextBaseFee((await baseFee()) * 20n);
    await fixture.anvil.mine(1);
    await fixture.readChain();
    expect(await statusOf(request.requestId)).toEqual(['in a batch']);
    expect(await fixture.tend()).toMatchObject({ outcome: 'paid', faults: ['fee-too-low'], replaced: 1 });
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
  });

  it('is confirmed by its first version when that one is the one in the block', async () => {
    const { request, batch } = await waitingStamp();
    expect(await fixture.tend({ replaceAfterMs: 0 })).toMatchObject({ replaced: 1 });
    const [first, second] = await hashesOf(batch.batchId);
    await fixture.anvil.request('anvil_dropTransaction', [second]);
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    const confirmed = (await fixture.events('StampConfirmed')).find(({ data }) => data.stampId === request.requestId);
    expect(confirmed?.data.receipt).toMatchObject({ transactionHash: first });
  });

  it('waits for the fees to fall when the cap leaves no room, and is never replaced beyond it', async () => {
    const { request, batch } = await waitingStamp();
    await nextBaseFee((await baseFee()) * 20n);
    await fixture.anvil.mine(1);
    expect(await fixture.tend({ replaceAfterMs: 0, capPerGas: 1n })).toMatchObject({ replaced: 0 });
    expect(await hashesOf(batch.batchId)).toHaveLength(1);
    await nextBaseFee(10n ** 9n);
    await fixture.anvil.mine(1);
    await fixture.tend();
    await fixture.anvil.mine(1);
    await fixture.readChain();
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
  });

  it('is not replaced by a former holder of the lane: nothing is stored (I3)', async () => {
    const lane = fixture.lanes[1]!;
    const options = { lane: lane.address, chainId: fixture.chainId, firstNonce: 0 };
    const former = await takeLease(fixture.database, { ...options, holder: 'former', leaseMs: -1 });
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    const holder = await takeLease(fixture.database, { ...options, holder: 'holder', leaseMs: 60_000 });
    expect(await renewLease(fixture.database, holder!, 60_000)).toBe(true);
    const market = { kind: 'eip1559', maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n } as const;
    const place = { batchId: batch!.batchId, chainId: fixture.chainId };
    const offer = { market, capPerGas: 10n ** 12n, balanceWei: 10n ** 24n };
    const late = storeReplacement(fixture.database, { ...former!, sign: lane.sign }, place, { how: 'raise' }, offer);
    await expect(late).rejects.toThrow(LeaseLostError);
    expect(await hashesOf(batch?.batchId)).toHaveLength(1);
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    await fixture.readChain();
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
  });
});

describe('a nonce that a stranger used', () => {
  const mined = async (transaction: SignedTransaction): Promise<void> => {
    await fixture.rpc.call('eth_sendRawTransaction', [transaction.rawTransaction]);
    await fixture.anvil.mine(1);
    await fixture.readChain();
  };
  it('gives the items to another batch, once that is final and not before: each stamp is made once (I2, I6)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    const lane = fixture.lanes[0]!;
    const market = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
    const own = {
      chainId: fixture.chainId,
      nonce: batch!.nonce,
      to: lane.address,
      data: '0x' as const,
      gasLimit: 21_000,
    };
    await mined(signTransaction({ ...own, ...market }, lane.privateKey));
    for (let round = 0; round < 3; round++) await fixture.tend();
    expect(await statusOf(request.requestId)).toEqual(['in a batch']);
    await fixture.finalize();
    await fixture.tend();
    expect(await statusOf(request.requestId)).toEqual(['waits']);
    const outcome = await fixture.settle();
    expect(outcome).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
    expect(await fixture.rows('select status from batches where id = $1', [batch?.batchId])).toEqual([
      { status: 'superseded' },
    ]);
  });

  it('is not seen where one of our own is in the block: its receipt decides, though the facts come later', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    await fixture.tend();
    expect(await statusOf(request.requestId)).toEqual(['in a batch']);
    await fixture.readChain();
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
  });
});

describe('what nodes answer to a broadcast', () => {
  let proxy: Awaited<ReturnType<typeof rpcFaultProxy>>;
  let rpc: ReturnType<typeof createRpc>;
  beforeAll(async () => {
    proxy = await rpcFaultProxy({ upstream: fixture.anvil.rpcUrl });
    rpc = createRpc({ urls: [proxy.url], timeoutMs: 2_000 });
  });
  afterEach(() => proxy.heal());
  /** A node that did not respond is skipped for a moment. */
  const taken = () => eventually(async () => expect((await fixture.tend({ rpc })).faults).toEqual([]));
  afterAll(async () => {
    rpc.close();
    await proxy.stop();
  });

  it.each([
    ['already known', -32000],
    ['nonce too high', -32000],
    ['replacement transaction underpriced', -32000],
    ['insufficient funds for gas * price + value', -32000],
    ['max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 2', -32000],
    ['execution reverted', 3],
    ['too many requests', 429],
  ])('%j: nothing is lost, and the stamp is confirmed once when the node takes it (I2, I6)', async (message, code) => {
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    proxy.behave('eth_sendRawTransaction', { kind: 'error', code, message });
    await fixture.tend({ rpc });
    expect(await statusOf(request.requestId)).toEqual(['in a batch']);
    proxy.heal();
    await taken();
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(
      await fixture.rows('select 1 from batches where nonce = $1 and lane = $2', [
        batch!.nonce,
        Buffer.from(fixture.lanes[0]!.address.slice(2), 'hex'),
      ]),
    ).toHaveLength(1);
  });

  it('nothing, after it was taken: it is sent again unchanged, and the stamp is confirmed once (I2, I3)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    proxy.behave('eth_sendRawTransaction', { kind: 'swallow' }, 1);
    await fixture.tend({ rpc });
    await taken();
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await statusOf(request.requestId)).toEqual(['confirmed']);
    expect(await hashesOf(batch?.batchId)).toHaveLength(1);
  });
});
