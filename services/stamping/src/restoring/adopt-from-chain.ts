import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { unknownHash } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { failpoint } from '@indelible/service-runtime';
import { adoptTransaction, type DeadBatches } from './adopt-transactions.ts';
import { setWaiting } from './align-imported.ts';
import { createItemReader, createRestoreReader } from './carried-items.ts';
import { revertLostBlocks } from './check-blocks.ts';
import { lastFinalBlock, mayStillWrite } from './lane-authority.ts';
import { blockBefore, type LaneTransaction, readLaneNonces, readLaneTransactions } from './lane-transactions.ts';
import type { Restored, RestoreParts } from './restore-parts.ts';
import { RestoreRefusedError } from './restore-refused.ts';

/** Timeout of a request for block receipts. */
const timeoutMs = 60_000;

/**
 * Takes over the lanes' transactions on the chain, with their next nonces, in one transaction (I3).
 * @throws RestoreRefusedError while a lane's transaction is pending, or may be replaced
 */
export async function adoptFromChain(parts: RestoreParts): Promise<Omit<Restored, 'events' | 'decided'>> {
  const { database, rpc, chainId, contract, note, signal } = parts;
  const { rows } = await database.query<{ number: number }>('select number from chain_cursor where chain_id = $1', [
    chainId,
  ]);
  const after = rows[0]?.number ?? 0;
  const { nonces, head } = await readLaneNonces(rpc, await knownLanes(parts), {
    mayStillWrite: (lane) => mayStillWrite(parts, lane),
    note,
  });
  // Since the backup, facts may have been read by services that lacked what is taken over now.
  const from = Math.min(after + 1, parts.fromBlock ?? (await blockBefore(rpc, parts.since, head)));
  const transactions = await readLaneTransactions(rpc, {
    ...{ nonces, from, to: head },
    onProgress: (block) => {
      if (block % 1_000 === 0) note(`block ${block} of ${head}`);
    },
  });
  const reader = createRestoreReader({ rpc, contract, timeoutMs, signal });
  const lastFinal = await lastFinalBlock(rpc, chainId);
  const revertedAbove = await revertLostBlocks(database, reader, { chainId, after, head });
  const readItems = createItemReader(reader);
  const adopted = { known: 0, version: 0, batch: 0, nothing: 0 };
  let stampsMade = 0;
  let again = Number.POSITIVE_INFINITY;
  const dead: DeadBatches = new Set();
  await database.transaction(async (client) => {
    await setWaiting(client);
    for (const transaction of transactions) {
      const { kind, made } = await adoptTransaction(client, chainId, transaction, readItems, dead);
      const { number } = transaction.block;
      if (kind === 'nothing' && number > lastFinal) throw mayBeReplaced(transaction);
      adopted[kind]++;
      stampsMade += made;
      if (number <= after && (kind === 'batch' || kind === 'version')) again = Math.min(again, number);
    }
    again = Math.min(again, await firstUnconfirmed(client, chainId));
    if (again <= after) await readAgain(client, chainId, again);
    for (const { lane, onChain, closed } of nonces)
      await client.query(
        `insert into lanes (lane, chain_id, next_nonce, draining)
         values ($1, $2, greatest($3::bigint, (select max(nonce) + 1 from batches where lane = $1)), $4)
         on conflict (lane) do update set next_nonce = greatest(lanes.next_nonce, excluded.next_nonce),
           draining = lanes.draining or excluded.draining`,
        [bytesOfHex(lane), chainId, onChain, closed],
      );
    failpoint('stamping.restore-adopting');
  });
  const { batch: batches, version: versions } = adopted;
  note(`${transactions.length} transactions of ${nonces.length} lanes found in blocks ${from} to ${head}`);
  return { transactions: transactions.length, batches, versions, stampsMade, revertedAbove: revertedAbove ?? null };
}

/** A reorg could make a reverted one succeed, or bring back the one it replaced, whose items are unknown (I2). */
const mayBeReplaced = ({ lane, hash, block }: LaneTransaction): RestoreRefusedError =>
  new RestoreRefusedError(
    `transaction ${hash} of lane ${lane} carries nothing, and its block ${block.number} is not final: run the command again when it is`,
  );

/** The first block with a batch that has an unconfirmed stamp; infinite without one. */
async function firstUnconfirmed(client: Client, chainId: number): Promise<number> {
  const { rows } = await client.query<{ block: number | null }>(
    `select min(b.block_number) as block from batches b where b.chain_id = $1 and b.status = 'included'
       and exists (select from unnest(b.stamp_ids) as item (id) join stamps s on s.id = item.id where s.status = 'requested')`,
    [chainId],
  );
  return rows[0]?.block ?? Number.POSITIVE_INFINITY;
}

/** Marks facts from that block on as missing: the chain-indexer publishes them again; earlier confirmations stay. */
async function readAgain(client: Client, chainId: number, block: number): Promise<void> {
  await client.query('update chain_cursor set number = $2, hash = $3, part = 1, parts = 1 where chain_id = $1', [
    ...[chainId, block - 1, bytesOfHex(unknownHash)],
  ]);
}

/** Every lane that is configured, stored or named by a batch, with its stored next nonce, if any. */
async function knownLanes({ database, lanes, chainId }: RestoreParts): Promise<ReadonlyMap<Hex, number>> {
  const { rows } = await database.query<{ lane: Buffer; next: number }>(
    `select lane, max(next) as next from (
       select lane, next_nonce as next from lanes where chain_id = $1
       union all select lane, 0 from batches where chain_id = $1) as l group by lane`,
    [chainId],
  );
  const known = new Map<Hex, number>(lanes.map((lane) => [lane, 0]));
  for (const { lane, next } of rows) known.set(hexOfBytes(lane), Number(next));
  return known;
}
