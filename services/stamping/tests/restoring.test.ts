import { addLane, setLocalBalance } from '@indelible/cli/provisioning';
import {
  decodeNonces,
  encodeAddLane,
  encodeNonces,
  encodeRemoveLane,
  laneTypedData,
} from '@indelible/commitment-contract';
import { ethCall, getTransactionReceipt, type Rpc, sendRawTransaction, signTransaction } from '@indelible/ethereum';
import { createOperatorKeys, hashTypedData, signDigestWithKey } from '@indelible/ethereum/custody';
import { bytesOfHex, type Hex, hexOfBytes, newId } from '@indelible/identifiers';
import { StampsFinalized, unknownHash } from '@indelible/messages';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SignedBatch } from '../src/batching/sign-batch.ts';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { adoptFromChain } from '../src/restoring/adopt-from-chain.ts';
import { alignImported } from '../src/restoring/align-imported.ts';
import { importOutcomes } from '../src/restoring/import-outcomes.ts';
import { collectionRequest, incoming, randomCid, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

/** Blocks above a block that the node reports as final. */
const blocksToFinality = 66;

let fixture: Fixture;
let account: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(() => fixture.dispose());

/** Mines blocks without the transaction, and returns it to the pool. */
async function minedWithout(batch: SignedBatch, act: () => Promise<unknown>): Promise<void> {
  await fixture.anvil.request('anvil_dropTransaction', [batch.transaction.hash]);
  await act();
  await fixture.broadcast(batch);
}

async function restore(rpc: Rpc = fixture.rpc): Promise<readonly string[]> {
  const { database, chainId, contract, operator, lanes } = fixture;
  const notes: string[] = [];
  await adoptFromChain({
    ...{ database, rpc, chainId, contract, operator },
    lanes: lanes.map(({ address }) => address),
    bus: undefined as never,
    since: undefined,
    fromBlock: undefined,
    note: (text) => void notes.push(text),
    signal: new AbortController().signal,
  });
  return notes;
}

/** The database is as before the batch was signed, but that it knows the lane. */
async function forget({ batchId }: SignedBatch): Promise<void> {
  await fixture.database.query(
    'update lanes l set next_nonce = b.nonce from batches b where b.id = $1 and l.lane = b.lane',
    [batchId],
  );
  await fixture.database.query('delete from transactions where batch_id = $1', [batchId]);
  await fixture.database.query('delete from batches where id = $1', [batchId]);
}

type Lane = Fixture['lanes'][number];

const addAgain = (lane: Lane, again = false) =>
  addLane({
    ...{ rpc: fixture.rpc, contract: fixture.contract, operator: fixture.operatorKey, again },
    ...{ lane: { address: lane.address, signDigest: lane.sign }, timeoutMs: 20_000 },
  });

/** The operator's call that grants a removed lane. */
async function grantOf({ address, sign }: Lane): Promise<Hex> {
  const { rpc, chainId, contract, operator } = fixture;
  const nonce = decodeNonces(await ethCall(rpc, { to: contract, data: encodeNonces({ user: address }) }));
  const signature = await sign(hashTypedData(laneTypedData({ chainId, contract }, { operator, nonce })));
  return encodeAddLane({ lane: address, signature });
}

/** Sends a call of the operator, in no block yet. */
async function inPool(data: Hex): Promise<void> {
  const nonce = Number(await fixture.rpc.call('eth_getTransactionCount', [fixture.operator, 'latest']));
  const fields = { chainId: fixture.chainId, nonce, to: fixture.contract, gasLimit: 200_000 };
  const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
  const { rawTransaction } = signTransaction({ ...fields, ...fees, data }, fixture.operatorKey.privateKey);
  await sendRawTransaction(fixture.rpc, rawTransaction);
}

async function removeLane(lane: Hex): Promise<void> {
  await inPool(encodeRemoveLane({ lane }));
  await fixture.anvil.mine(1);
}

describe('a restore while a pool has a transaction that the database does not know', () => {
  const stuckBatch = async (lane: Fixture['lanes'][number]): Promise<SignedBatch> => {
    const batch = (await fixture.sign(lane)) as SignedBatch;
    await fixture.broadcast(batch);
    await forget(batch);
    return batch;
  };

  it('waits for it as long as the lane may write; of one whose removal is final it does not, and the stamp is made once (I2, I3, I11)', async () => {
    const [stuck, other] = fixture.lanes as [Fixture['lanes'][number], Fixture['lanes'][number]];
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    const batch = await stuckBatch(stuck);
    const refusal = `1 transactions of lane ${stuck.address} wait for a block`;
    await expect(restore()).rejects.toThrow(refusal);

    await minedWithout(batch, () => removeLane(stuck.address));
    // A reorg could give the grant back.
    await expect(restore()).rejects.toThrow(refusal);
    await minedWithout(batch, () => fixture.anvil.mine(blocksToFinality));
    await inPool(await grantOf(stuck));
    // The grant may come into a block before the batch does.
    await expect(restore()).rejects.toThrow(refusal);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.broadcast(batch);
    expect(await restore()).toContainEqual(expect.stringMatching(`^${refusal}, and write nothing`));

    // Commands that grant all lanes skip this one, even when this node's pool has forgotten the batch.
    await expect(addAgain(stuck, true)).rejects.toThrow('would write if it were granted again');
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    expect(await addAgain(stuck)).toBe('removed');
    await fixture.broadcast(batch);
    const closed = await fixture.database.query<{ lane: Buffer }>('select lane from lanes where draining');
    expect(closed.rows.map(({ lane }) => hexOfBytes(lane))).toEqual([stuck.address]);

    await fixture.readChain();
    await fixture.broadcast(await fixture.sign(other));
    await fixture.anvil.mine(1);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    // Both are in a block now, and one of them recorded the object.
    const receipt = await getTransactionReceipt(fixture.rpc, batch.transaction.hash);
    expect(receipt?.status).toBe('reverted');
    const logs = await fixture.rpc.call<{ topics: string[] }[]>('eth_getLogs', [{ fromBlock: '0x0' }]);
    expect(logs.filter(({ topics }) => topics.includes(stamp.objectCid))).toHaveLength(1);
  });

  it('waits for it while the last final block does not know that the lane was granted, and removed: it may be granted again (I2)', async () => {
    const lane = createOperatorKeys({ seed: new Uint8Array(32).fill(7) }).lane(2);
    await fixture.anvil.mine(blocksToFinality);
    await setLocalBalance(fixture.rpc, lane.address, 10n ** 24n);
    const sign = async (digest: Hex) => signDigestWithKey(lane.privateKey, digest);
    await fixture.anvil.request('evm_setAutomine', [true]);
    await addLane({
      ...{ rpc: fixture.rpc, contract: fixture.contract, operator: fixture.operatorKey },
      ...{ lane: { address: lane.address, signDigest: sign }, timeoutMs: 20_000 },
    });
    await fixture.anvil.request('evm_setAutomine', [false]);
    await removeLane(lane.address);
    await fixture.request(stampRequest(account));
    const batch = await stuckBatch({ ...lane, sign });
    const refusal = `1 transactions of lane ${lane.address} wait for a block`;
    await expect(restore()).rejects.toThrow(refusal);
    await minedWithout(batch, () => fixture.anvil.mine(blocksToFinality));
    expect(await restore()).toContainEqual(expect.stringMatching(`^${refusal}, and write nothing`));
  });
});

describe('a restore while a block that is not final has a transaction without items', () => {
  it('waits for finality: a reorg could bring the one back that it replaced (I2)', async () => {
    const [lane] = fixture.lanes as [Lane];
    const { chainId, rpc, anvil } = fixture;
    await fixture.request(stampRequest(account));
    const batch = (await fixture.sign(lane)) as SignedBatch;
    await forget(batch);
    const fields = { chainId, nonce: batch.nonce, to: lane.address, data: '0x', gasLimit: 100_000 } as const;
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 9n };
    const empty = signTransaction({ ...fields, ...fees }, lane.privateKey);
    await sendRawTransaction(rpc, empty.rawTransaction);
    await anvil.mine(1);
    const refusal = `transaction ${empty.hash} of lane ${lane.address} carries nothing, and its block`;
    await expect(restore()).rejects.toThrow(refusal);
    expect(await fixture.rows('select from waiting_stamps')).toEqual([]);

    await anvil.mine(blocksToFinality);
    await restore();
    await fixture.readChain();
    expect(await fixture.settle()).toMatchObject({ confirmed: 1, unmatched: [] });
  });
});

describe('a restore by a node whose receipt of a transaction lacks its logs', () => {
  it('takes nothing over, so that the stamp is not signed again; by another node it does (I2, I3)', async () => {
    const [lane] = fixture.lanes as [Lane];
    const stamp = stampRequest(account);
    await fixture.request(stamp);
    const batch = (await fixture.sign(lane)) as SignedBatch;
    await fixture.broadcast(batch);
    await forget(batch);
    await fixture.anvil.mine(1);
    const withoutLogs: Rpc = {
      ...fixture.rpc,
      async call<Result>(method: string, ...rest: [params: readonly unknown[]]) {
        const answer = await fixture.rpc.call<Result>(method, ...rest);
        return method === 'eth_getTransactionReceipt' ? { ...answer, logs: [] } : answer;
      },
    };
    await expect(restore(withoutLogs)).rejects.toThrow('does not agree with those of its block');
    expect(await fixture.sign(lane)).toBeUndefined();

    await restore();
    expect(await fixture.readChain()).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await fixture.events('StampConfirmed')).toMatchObject([{ data: { stampId: stamp.requestId } }]);
  });
});

describe('a restore of collections that are in blocks', () => {
  /** A collection in a block whose batch is final, and that the backup has not read. */
  async function collectionInBlock(): Promise<void> {
    await fixture.requestCollections(collectionRequest(account, 'cats'));
    await fixture.settle();
    await fixture.finalize();
    await fixture.database.query('update chain_cursor set number = number - 1, hash = $1', [bytesOfHex(unknownHash)]);
  }
  const reverted = async () => (await fixture.events('CollectionReverted')).length;
  const answering = (method: string, change: (answer: unknown) => unknown): Rpc => ({
    ...fixture.rpc,
    async call<Result>(asked: string, ...rest: [params: readonly unknown[]]) {
      const answer = await fixture.rpc.call<Result>(asked, ...rest);
      return (asked === method ? change(answer) : answer) as Result;
    },
    async batch(calls, ...rest) {
      const outcomes = await fixture.rpc.batch(calls, ...rest);
      return outcomes.map((outcome, i) =>
        outcome.ok && calls[i]?.method === method && calls[i].params[0] !== 'latest' && calls[i].params[1] === false
          ? { ...outcome, result: change(outcome.result) }
          : outcome,
      );
    },
  });

  it('takes none back for a node that has no receipt of its transaction: the block is on the chain (I1)', async () => {
    await collectionInBlock();
    await restore(answering('eth_getTransactionReceipt', () => null));
    await fixture.database.query('update collections set created_block_hash = null');
    await restore(answering('eth_getTransactionReceipt', () => null));
    expect(await reverted()).toBe(0);
  });

  it('takes back those whose block is no longer on the chain, by its hash or by its transactions (I4)', async () => {
    await collectionInBlock();
    await fixture.database.query('update collections set created_block_hash = $1', [bytesOfHex(randomCid())]);
    await restore();
    expect(await reverted()).toBe(1);
    await fixture.database.query(
      `update collections set is_created = true, version = version + 1, created_block = n.number, created_time = 1,
         created_transaction = $1 from (select number + 1 as number from chain_cursor) as n`,
      [bytesOfHex(randomCid())],
    );
    await restore();
    expect(await reverted()).toBe(2);
  });

  it('takes nothing over from a node that lacks a block of its own chain', async () => {
    await collectionInBlock();
    await expect(restore(answering('eth_getBlockByNumber', () => null))).rejects.toThrow('the node lacks block');
    expect(await reverted()).toBe(0);
  });
});

describe('a restore of a batch that was published in part', () => {
  const waiting = () => fixture.rows('select stamp_id from waiting_stamps');
  const stampsOf = ({ batchId }: SignedBatch) => fixture.rows('select stamp_ids from batches where id = $1', [batchId]);
  const statuses = async () => (await fixture.rows('select status from stamps')).map(({ status }) => status);

  /** The stamp as when its decision was imported, but not its confirmation. */
  const withoutConfirmation = (stampId: string) =>
    fixture.database.query(
      `update stamps set status = 'requested', version = 1, batch_id = null, batch_index = null, transaction_hash = null,
         log_index = null, block_number = null, block_hash = null, block_time = null where id = $1`,
      [stampId],
    );

  /** What waits, in a read block; `forgetBlock` sets the backup to before that block. */
  async function inBlock() {
    const batch = (await fixture.sign()) as SignedBatch;
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    const block = await fixture.blockMessage(Number(await fixture.anvil.request('eth_blockNumber', [])));
    await fixture.readChain();
    const forgetBlock = async () => {
      const { number, parentHash } = block.data;
      await fixture.database.query('update chain_cursor set number = $1, hash = $2, finalized = 0', [
        number - 1,
        bytesOfHex(parentHash),
      ]);
      await fixture.database.query(`delete from events where type = 'StampConfirmed' or type = 'StampsFinalized'`);
    };
    return { batch, block, forgetBlock };
  }

  it('takes its other stamps from the chain when only some were reported as submitted: none is signed again (I2)', async () => {
    await fixture.request(...Array.from({ length: 3 }, () => stampRequest(account)));
    const batch = (await fixture.sign()) as SignedBatch;
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    const all = await stampsOf(batch);
    await fixture.database.query('update batches set stamp_ids = stamp_ids[1:2] where id = $1', [batch.batchId]);
    await restore();
    expect(await waiting()).toEqual([]);
    expect(await stampsOf(batch)).toEqual(all);
    expect(await fixture.readChain()).toMatchObject({ confirmed: 3, unmatched: [] });
  });

  it('lets none wait whose confirmation alone is missing: its batch is in a block (I2)', async () => {
    const [first, second] = [stampRequest(account), stampRequest(account)];
    await fixture.request(first, second);
    await fixture.settle();
    await withoutConfirmation(second.requestId);
    await fixture.database.transaction(alignImported);
    expect(await waiting()).toEqual([]);
  });

  it('lets none wait whose confirmation alone is missing, of a batch that was reported as final: its block confirms it (I2, I6)', async () => {
    const [first, second] = [stampRequest(account), stampRequest(account)];
    await fixture.request(first, second);
    const { block, forgetBlock } = await inBlock();
    await fixture.finalize();
    await withoutConfirmation(second.requestId);
    await forgetBlock();
    await fixture.database.transaction(alignImported);
    await restore();
    expect(await waiting()).toEqual([]);
    expect(await fixture.sign()).toBeUndefined();
    expect(await handleChainFacts(fixture.facts, [block])).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await statuses()).toEqual(['confirmed', 'confirmed']);
    await fixture.finalize();
    expect(await fixture.rows(`select from batches where kind = 'commit' and status <> 'finalized'`)).toEqual([]);
  });

  it('reads its block again where services that ran on the backup have read past it: its stamps are confirmed (I6)', async () => {
    const [first, second] = [stampRequest(account), stampRequest(account)];
    await fixture.request(first, second);
    const { block } = await inBlock();
    await fixture.finalize();
    await withoutConfirmation(second.requestId);
    await fixture.database.query(`delete from events where type = 'StampConfirmed' or type = 'StampsFinalized'`);
    await fixture.database.transaction(alignImported);
    await restore();
    expect(await fixture.sign()).toBeUndefined();
    expect(await handleChainFacts(fixture.facts, [block])).toMatchObject({ confirmed: 1, unmatched: [] });
    expect(await statuses()).toEqual(['confirmed', 'confirmed']);
  });

  it('takes its other stamps from the chain when it was reported as final, but only some as submitted (I2, I6)', async () => {
    const requests = Array.from({ length: 3 }, () => stampRequest(account));
    await fixture.request(...requests);
    const { batch, block, forgetBlock } = await inBlock();
    const all = await stampsOf(batch);
    await fixture.finalize();
    const [finalized] = await fixture.events('StampsFinalized');
    for (const { requestId } of requests) await withoutConfirmation(requestId);
    await forgetBlock();
    await fixture.database.query(
      `update batches set stamp_ids = stamp_ids[1:2], status = 'signed', block_number = null, block_hash = null where id = $1`,
      [batch.batchId],
    );
    await fixture.database.transaction(async (client) => {
      await importOutcomes(client, [incoming(StampsFinalized, finalized?.data as StampsFinalized)]);
      await alignImported(client);
    });
    await restore();
    expect(await waiting()).toEqual([]);
    expect(await stampsOf(batch)).toEqual(all);
    expect(await handleChainFacts(fixture.facts, [block])).toMatchObject({ confirmed: 3, unmatched: [] });
  });

  it.each(['included', 'finalized'])(
    'gives up a former batch of a stamp whose later batch is %s, though its confirmation is missing (I2)',
    async (status) => {
      const [first, second] = [stampRequest(account), stampRequest(account)];
      await fixture.request(first, second);
      const { batch } = await inBlock();
      if (status === 'finalized') await fixture.finalize();
      await withoutConfirmation(second.requestId);
      const former = newId();
      await fixture.database.query(
        `insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit, stamp_ids, signed_at)
         select $1, chain_id, $3, 7, 'commit', 'signed', 0, array[$4::uuid], signed_at - interval '1 hour' from batches where id = $2`,
        [former, batch.batchId, bytesOfHex((fixture.lanes[1] as Lane).address), second.requestId],
      );
      await fixture.database.transaction(alignImported);
      expect(await fixture.rows('select status from batches where id = $1', [former])).toEqual([
        { status: 'superseded' },
      ]);
      expect(await waiting()).toEqual([]);
    },
  );
});
