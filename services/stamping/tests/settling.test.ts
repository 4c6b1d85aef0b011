import { randomUUID } from 'node:crypto';
import { createRpc, type SignedTransaction, signTransaction } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { rpcFaultProxy } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { endUnserviceable } from '../src/accounts/end-unserviceable.ts';
import { collectionRequest, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(() => fixture.dispose());

const bytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');
const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));
const statuses = async (...ids: string[]): Promise<unknown[]> => {
  const rows = await fixture.rows('select id, status from stamps where id = any($1::uuid[])', [ids]);
  return ids.map((id) => rows.find((row) => row.id === id)?.status);
};
const batchStatus = async (id: string | undefined): Promise<unknown> =>
  (await fixture.rows('select status from batches where id = $1', [id]))[0]?.status;
/** How often each stamp's commitment is on the chain. */
const commitments = async (...objects: Hex[]): Promise<number[]> => {
  const logs = await fixture.rpc.call<{ topics: Hex[] }[]>('eth_getLogs', [
    { address: fixture.contract, fromBlock: '0x0', toBlock: 'latest' },
  ]);
  return objects.map((object) => logs.filter(({ topics }) => topics.includes(object)).length);
};
const signAndSend = async (lane = fixture.lanes[0]!) => {
  const batch = await fixture.sign(lane);
  await fixture.broadcast(batch);
  return batch!;
};
const mine = async (): Promise<void> => {
  await fixture.anvil.mine(1);
  await fixture.readChain();
};
/** An account with a grant in stamping, and none on the chain. */
const refusedAccount = async (index: number): Promise<Hex> => {
  const address = await fixture.openAccount(index);
  await fixture.database.query('update accounts set granted_block = 0 where account = $1', [bytes(address)]);
  return address;
};
/** Runs a lane until nothing is left to do. */
const carryOn = async (lane = fixture.lanes[0]!): Promise<void> => {
  for (let round = 0; round < 12; round++) {
    for (let batch = await fixture.sign(lane); batch !== undefined; batch = await fixture.sign(lane))
      await fixture.broadcast(batch);
    await mine();
    await fixture.finalize();
    await fixture.tend({}, lane);
    await endUnserviceable(fixture.database, async () => {});
  }
};

describe('a batch that reverts', () => {
  it('is settled when its block is final, and not before', async () => {
    const culprit = await refusedAccount(1);
    const requests = [stampRequest(account), stampRequest(culprit)];
    await fixture.request(...requests);
    const batch = await signAndSend();
    await mine();
    await fixture.tend();
    expect(await batchStatus(batch.batchId)).toBe('signed');
    expect(await fixture.rows('select * from waiting_stamps')).toEqual([]);
    await fixture.finalize();
    await fixture.tend();
    expect(await batchStatus(batch.batchId)).toBe('reverted');
    expect(await fixture.rows('select * from waiting_stamps')).toHaveLength(2);
  });

  it('with a collection that the chain refuses again and again gives it up: who waits learns of it, and may try again (I6)', async () => {
    const culprit = await refusedAccount(1);
    const request = collectionRequest(culprit, 'Refused');
    await fixture.requestCollections(request);
    await fixture.database.query('update collections set reverted_batches = 9');
    const settled = async () => {
      await signAndSend();
      await mine();
      await fixture.finalize();
      return (await fixture.tend()).replies;
    };
    const refused = { kind: 'refused', refusal: { code: 'collection-refused' } };
    expect((await settled()).map(({ reply }) => reply)).toMatchObject([{ requestId: request.requestId, ...refused }]);
    expect(await fixture.rows('select 1 from collection_requests')).toEqual([]);
    expect(await fixture.sign()).toBeUndefined();

    await fixture.requestCollections({ ...request, requestId: randomUUID() });
    expect(await settled()).toEqual([]);
    expect(await fixture.rows('select 1 from collection_requests')).toHaveLength(1);
  });

  it('with a collection is not sent again for an account that revoked', async () => {
    await fixture.requestCollections(collectionRequest(account, 'Of a revoked account'));
    await fixture.database.query('update collections set reverted_batches = 1');
    await fixture.database.query('update accounts set revoked_block = 9 where account = $1', [bytes(account)]);
    expect(await fixture.sign()).toBeUndefined();
  });

  it('is broadcast again after a reorg took its block: later nonces are no hole, and each stamp is made once (I2, I11)', async () => {
    const culprit = await refusedAccount(1);
    const innocent = stampRequest(account);
    await fixture.request(innocent, stampRequest(culprit));
    await signAndSend();
    await mine();
    const later = stampRequest(account);
    await fixture.request(later);
    await signAndSend();
    await mine();
    await fixture.tend();
    expect(await statuses(later.requestId)).toEqual(['confirmed']);

    const ancestor = (await head()) - 2;
    await fixture.anvil.request('anvil_rollback', [2]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.revertTo(ancestor);
    await carryOn();
    expect(await statuses(innocent.requestId, later.requestId)).toEqual(['confirmed', 'confirmed']);
    expect(await commitments(innocent.objectCid, later.objectCid)).toEqual([1, 1]);
  });

  it('that was settled by a final block which disappeared gives its nonce to an empty one (I2, I11)', async () => {
    const culprit = await refusedAccount(1);
    const requests = [stampRequest(account), stampRequest(account)];
    await fixture.request(...requests, stampRequest(culprit));
    const ancestor = await head();
    const batch = await signAndSend();
    await mine();
    await fixture.finalize();
    await fixture.tend();
    expect(await batchStatus(batch.batchId)).toBe('reverted');
    await fixture.anvil.request('anvil_rollback', [(await head()) - ancestor]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.revertTo(ancestor);
    await carryOn();
    expect(await statuses(...requests.map(({ requestId }) => requestId))).toEqual(['confirmed', 'confirmed']);
    expect(await commitments(...requests.map(({ objectCid }) => objectCid))).toEqual([1, 1]);
    expect(
      await fixture.rows('select is_empty from transactions where batch_id = $1 and is_empty', [batch.batchId]),
    ).toHaveLength(1);
  });

  it('with one stamp, by the fault of a collection in it, does not fail the stamp (I12)', async () => {
    const culprit = await refusedAccount(1);
    const innocent = stampRequest(account);
    await fixture.request(innocent);
    await fixture.requestCollections(collectionRequest(culprit, 'Theirs'));
    await signAndSend();
    await mine();
    await carryOn();
    expect(await statuses(innocent.requestId)).toEqual(['confirmed']);
  });

  it('with one stamp, by the order of lanes after a reorg, does not fail the stamp: it was confirmed once (I4)', async () => {
    const [first, second] = fixture.lanes as [(typeof fixture.lanes)[0], (typeof fixture.lanes)[0]];
    const late = await fixture.openAccount(2);
    const ancestor = await head();
    await signAndSend(first);
    await mine();
    const stamp = stampRequest(late);
    await fixture.request(stamp);
    const batch = await signAndSend(second);
    await mine();
    expect(await statuses(stamp.requestId)).toEqual(['confirmed']);

    await fixture.anvil.request('anvil_rollback', [(await head()) - ancestor]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.revertTo(ancestor);
    await fixture.rpc.call('eth_sendRawTransaction', [batch.transaction.rawTransaction]);
    await mine();
    await carryOn(first);
    await carryOn(second);
    expect(await statuses(stamp.requestId)).toEqual(['confirmed']);
    expect(await commitments(stamp.objectCid)).toEqual([1]);
  });
});

describe('a stamp that is submitted again', () => {
  it('says in each submission which one it is, and how many of its reversions come before (I4)', async () => {
    const [first, second] = fixture.lanes as [(typeof fixture.lanes)[0], (typeof fixture.lanes)[0]];
    const late = await fixture.openAccount(2);
    const ancestor = await head();
    await signAndSend(first);
    await mine();
    const stamp = stampRequest(late);
    await fixture.request(stamp);
    const batch = await signAndSend(second);
    await mine();
    // Without the account's grant, its transaction is refused on the other chain.
    await fixture.anvil.request('anvil_rollback', [(await head()) - ancestor]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.revertTo(ancestor);
    await fixture.rpc.call('eth_sendRawTransaction', [batch.transaction.rawTransaction]);
    await mine();
    await carryOn(first);
    await carryOn(second);
    const submissions = (await fixture.events('StampsSubmitted')).flatMap(
      ({ data }) => data.stamps as { stampId: string; attempt: number; reversions: number }[],
    );
    expect(submissions.filter(({ stampId }) => stampId === stamp.requestId)).toMatchObject([
      { attempt: 1, reversions: 0 },
      { attempt: 2, reversions: 1 },
    ]);
  });

  it('without having been confirmed counts on, and no reversion (I6)', async () => {
    const culprit = await refusedAccount(1);
    const innocent = stampRequest(account);
    await fixture.request(innocent, stampRequest(culprit));
    await signAndSend();
    await mine();
    await carryOn();
    const submissions = (await fixture.events('StampsSubmitted')).flatMap(
      ({ data }) => data.stamps as { stampId: string; attempt: number; reversions: number }[],
    );
    const own = submissions.filter(({ stampId }) => stampId === innocent.requestId);
    expect(own.length).toBeGreaterThan(1);
    expect(own).toMatchObject(own.map((_, at) => ({ attempt: at + 1, reversions: 0 })));
  });
});

describe('a grant that reverts', () => {
  it('for good fails what waits for it, and nothing waits for ever (I6)', async () => {
    const other = await fixture.openAccount(3);
    await fixture.database.query(
      `update accounts set grant_signature = decode(repeat('11', 65), 'hex') where account = $1`,
      [bytes(other)],
    );
    const stamp = stampRequest(other);
    await fixture.request(stamp);
    await carryOn();
    await endUnserviceable(fixture.database, async () => {});
    expect(await statuses(stamp.requestId)).toEqual(['failed']);
    const next = stampRequest(account);
    await fixture.request(next);
    await carryOn();
    expect(await statuses(next.requestId)).toEqual(['confirmed']);
  });
});

describe('nodes that are not of one mind', () => {
  let proxies: Awaited<ReturnType<typeof rpcFaultProxy>>[];
  let rpc: ReturnType<typeof createRpc>;
  beforeEach(async () => {
    proxies = await Promise.all([1, 2].map(() => rpcFaultProxy({ upstream: fixture.anvil.rpcUrl })));
    rpc = createRpc({ urls: proxies.map(({ url }) => url), timeoutMs: 10_000, headMaxAgeMs: 0, hedgeShare: 0 });
  });
  afterEach(async () => {
    rpc.close();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  it.each([
    ['takes everything', (hash: Hex) => ({ kind: 'result', result: hash }) as const],
    [
      'refuses in words that nobody knows',
      () => ({ kind: 'error', code: -32000, message: 'not on your plan' }) as const,
    ],
  ])('one that lags and %s hides no used nonce: what reverted is settled (I11)', async (_, fault) => {
    const culprit = await refusedAccount(1);
    const innocent = stampRequest(account);
    await fixture.request(innocent, stampRequest(culprit));
    const batch = await signAndSend();
    await fixture.anvil.mine(20);
    await fixture.readChain();
    await fixture.finalize();
    proxies[1]!.lag(15);
    proxies[1]!.behave('eth_sendRawTransaction', fault(batch.transaction.hash), 1_000);
    await rpc.inspect();
    await fixture.tend({ rpc, replaceAfterMs: 0 });
    expect(await batchStatus(batch.batchId)).toBe('reverted');
    expect(await fixture.rows('select 1 from transactions where batch_id = $1', [batch.batchId])).toHaveLength(1);
  });
});

describe('a nonce that a stranger used', () => {
  let proxy: Awaited<ReturnType<typeof rpcFaultProxy>>;
  let rpc: ReturnType<typeof createRpc>;
  const strangers = (nonce: number): SignedTransaction => {
    const lane = fixture.lanes[0]!;
    const own = { chainId: fixture.chainId, nonce, to: lane.address, data: '0x' as const, gasLimit: 21_000 };
    return signTransaction({ ...own, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n }, lane.privateKey);
  };

  it('needs no state of old blocks, and stops nothing else of the lane (I11)', async () => {
    proxy = await rpcFaultProxy({ upstream: fixture.anvil.rpcUrl });
    rpc = createRpc({ urls: [proxy.url], timeoutMs: 10_000 });
    try {
      const lost = stampRequest(account);
      await fixture.request(lost);
      const batch = await fixture.sign();
      await fixture.rpc.call('eth_sendRawTransaction', [strangers(batch!.nonce).rawTransaction]);
      await mine();
      const next = stampRequest(account);
      await fixture.request(next);
      await fixture.sign();
      proxy.behave('eth_getTransactionReceipt', { kind: 'error', code: -32000, message: 'missing trie node' }, 1);
      // The first cannot be tended; the second is broadcast all the same.
      await fixture.tend({ rpc });
      await mine();
      expect(await statuses(next.requestId)).toEqual(['confirmed']);
      await fixture.tend({ rpc });
      await fixture.finalize();
      await fixture.tend({ rpc });
      expect(await batchStatus(batch?.batchId)).toBe('superseded');
      const counts = proxy.calls.filter(({ method }) => method === 'eth_getTransactionCount');
      expect(new Set(counts.map(({ params }) => params[1]))).toEqual(new Set(['latest']));
      await carryOn();
      expect(await statuses(lost.requestId)).toEqual(['confirmed']);
      expect(await commitments(lost.objectCid, next.objectCid)).toEqual([1, 1]);
    } finally {
      rpc.close();
      await proxy.stop();
    }
  });
});

describe('a transaction that every node refuses for good', () => {
  let proxy: Awaited<ReturnType<typeof rpcFaultProxy>>;
  let rpc: ReturnType<typeof createRpc>;
  beforeEach(async () => {
    proxy = await rpcFaultProxy({ upstream: fixture.anvil.rpcUrl });
    rpc = createRpc({ urls: [proxy.url], timeoutMs: 10_000 });
  });
  afterEach(async () => {
    rpc.close();
    await proxy.stop();
  });
  const refuse = (message: string, times: number) =>
    proxy.behave('eth_sendRawTransaction', { kind: 'error', code: -32000, message }, times);

  it('since its gas does not fit: it is signed with what a node says it needs, the same items (I3, I11)', async () => {
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    const batch = await fixture.sign();
    refuse('intrinsic gas too low: gas 20000, minimum needed 21000', 1);
    await fixture.tend({ rpc });
    await mine();
    expect(await statuses(stamp.requestId)).toEqual(['confirmed']);
    const versions = await fixture.rows('select is_empty from transactions where batch_id = $1', [batch?.batchId]);
    expect(versions).toEqual([{ is_empty: false }, { is_empty: false }]);
  });

  it('since it may cost too much: it offers less, down to what the market still takes (I11)', async () => {
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    const batch = await fixture.sign();
    refuse('tx fee (1.50 ether) exceeds the configured cap (1.00 ether)', 1);
    await fixture.tend({ rpc });
    await mine();
    expect(await statuses(stamp.requestId)).toEqual(['confirmed']);
    const fees = await fixture.rows('select fees from transactions where batch_id = $1 order by version', [
      batch?.batchId,
    ]);
    const [before, after] = fees.map((row) => BigInt((row.fees as { maxFeePerGas: string }).maxFeePerGas));
    expect(after! < before!).toBe(true);
  });

  it('however it is signed: its nonce goes to an empty one, and its items to another batch once that is final (I2, I11)', async () => {
    const stamps = [stampRequest(account), stampRequest(account)];
    await fixture.request(...stamps);
    const batch = await fixture.sign();
    refuse('exceeds block gas limit', 2);
    await fixture.tend({ rpc, replaceAfterMs: 0, maxGas: 1 });
    await fixture.tend({ rpc });
    await mine();
    await fixture.tend({ rpc });
    expect(await fixture.rows('select * from waiting_stamps')).toEqual([]);
    await fixture.finalize();
    await fixture.tend({ rpc });
    expect(await batchStatus(batch?.batchId)).toBe('superseded');
    await carryOn();
    expect(await statuses(...stamps.map(({ requestId }) => requestId))).toEqual(['confirmed', 'confirmed']);
    expect(await commitments(...stamps.map(({ objectCid }) => objectCid))).toEqual([1, 1]);
  });

  it('for the tenth time gives up a collection and a stamp that are alone: their requests get the reason (I6)', async () => {
    const emptied = async () => {
      await fixture.sign();
      refuse('exceeds block gas limit', 2);
      await fixture.tend({ rpc, replaceAfterMs: 0, maxGas: 1 });
      await fixture.tend({ rpc });
      await mine();
      await fixture.tend({ rpc });
      await fixture.finalize();
      return (await fixture.tend({ rpc })).replies.map(({ reply }) => reply);
    };
    const collection = collectionRequest(account, 'Taken by no node');
    await fixture.requestCollections(collection);
    await fixture.database.query('update collections set reverted_batches = 9 where name = $1', ['Taken by no node']);
    expect(await emptied()).toMatchObject([
      { requestId: collection.requestId, kind: 'refused', refusal: { code: 'collection-refused' } },
    ]);
    expect(await fixture.rows('select 1 from collection_requests')).toEqual([]);

    const stamp = stampRequest(account);
    await fixture.request(stamp);
    await fixture.database.query('update stamps set reverted_batches = 9 where id = $1', [stamp.requestId]);
    await fixture.database.query('update waiting_stamps set reverted_batches = 9');
    expect(await emptied()).toMatchObject([
      { requestId: stamp.requestId, kind: 'refused', refusal: { code: 'stamp-failed' } },
    ]);
    expect(await statuses(stamp.requestId)).toEqual(['failed']);
    expect(await fixture.sign()).toBeUndefined();
  });
});
