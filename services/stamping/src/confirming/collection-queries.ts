import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { BlockAppended, ChainLog } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import type { CollectionRequest, ConfirmedCollection } from '../decisions/report-confirmed.ts';

type Block = Pick<BlockAppended, 'number' | 'time' | 'hash'>;

/** Records a block's AddSets of our accounts' collections. */
export async function includeCollections(client: Client, block: Block, logs: readonly ChainLog[]): Promise<void> {
  if (logs.length === 0) return;
  await client.query({
    name: 'include-collections',
    text: `update collections c set created_block = $4, created_time = $5, created_block_hash = $6,
             created_transaction = l.hash, created_log_index = l.log_index
           from (
             -- Taken for a thousand, where arrays are for ten: then the two are joined by a hash.
             select ($1::bytea[])[n] as account, ($2::bytea[])[n] as cid, ($3::bytea[])[n] as hash,
               ($7::int[])[n] as log_index from generate_series(1, cardinality($1::bytea[])) as n) as l
           where c.account = l.account and c.cid = l.cid and c.account = any($1::bytea[]) and c.cid = any($2::bytea[])
             and c.created_block is null`,
    values: [
      arrayOf.bytea(logs.map((log) => log.user)),
      arrayOf.bytea(logs.map((log) => log.setCid as Hex)),
      arrayOf.bytea(logs.map((log) => log.transactionHash)),
      block.number,
      block.time,
      bytesOfHex(block.hash),
      arrayOf.int(logs.map((log) => log.logIndex)),
    ],
  });
}

/**
 * Records collections whose set was on the chain before they were registered: a transaction of the block found it
 * there, and no AddSet was seen for them. They count as created by that transaction.
 */
export async function noteStandingCollections(
  client: Client,
  block: Block,
  shown: readonly { readonly collectionId: number; readonly transactionHash: Hex }[],
): Promise<void> {
  if (shown.length === 0) return;
  await client.query({
    name: 'note-standing-collections',
    text: `update collections c set created_block = $3, created_time = $4, created_block_hash = $5,
             created_transaction = shown.hash, created_log_index = null
           from unnest($1::bigint[], $2::bytea[]) as shown (id, hash)
           where c.id = shown.id and c.id = any($1::bigint[]) and c.created_block is null`,
    values: [
      arrayOf.bigint(shown.map(({ collectionId }) => collectionId)),
      arrayOf.bytea(shown.map(({ transactionHash }) => transactionHash)),
      block.number,
      block.time,
      bytesOfHex(block.hash),
    ],
  });
}

/** Collections that the batch's successful transaction did not record, since each was on the chain before. */
export async function loadUnrecordedCollections(client: Client, batchId: string): Promise<readonly number[]> {
  const { rows } = await client.query<{ id: number }>({
    name: 'load-unrecorded-collections',
    text: 'select id from collections where batch_id = $1 and created_block is null',
    values: [batchId],
  });
  return rows.map(({ id }) => id);
}

/** More collections than a batch, or a part of a block, can have. */
export const mostCollections = 10_000;

/** Marks collections as created whose AddSet is now deep enough, at most `limit`. */
export async function confirmCollections(
  client: Client,
  upToBlock: number,
  limit: number,
): Promise<readonly ConfirmedCollection[]> {
  const { rows } = await client.query<{
    id: number;
    version: number;
    account: Buffer;
    cid: Buffer;
    created_transaction: Buffer;
    created_block: number;
    created_time: number;
    created_block_hash: Buffer | null;
    created_log_index: number | null;
  }>({
    name: 'confirm-collections',
    text: `update collections set is_created = true, version = version + 1
           where id = any(array(
             select id from collections where created_block is not null and not is_created and created_block <= $1
             order by created_block limit $2))
           returning id, version, account, cid, created_transaction, created_block, created_time,
             created_block_hash, created_log_index`,
    values: [upToBlock, limit],
  });
  return rows.map((row) => ({
    collectionId: row.id,
    version: row.version,
    account: hexOfBytes(row.account),
    cid: hexOfBytes(row.cid),
    transactionHash: hexOfBytes(row.created_transaction),
    blockNumber: row.created_block,
    blockTime: row.created_time,
    blockHash: row.created_block_hash === null ? null : hexOfBytes(row.created_block_hash),
    logIndex: row.created_log_index,
  }));
}

/** Takes the requests that wait for these collections: each gets one reply. */
export async function takeCollectionRequests(
  client: Client,
  collectionIds: readonly number[],
): Promise<readonly CollectionRequest[]> {
  if (collectionIds.length === 0) return [];
  const { rows } = await client.query<CollectionRequest>({
    name: 'take-collection-requests',
    text: `delete from collection_requests where collection_id = any($1::bigint[])
           returning request_id as "requestId", collection_id as "collectionId", reply_to as "replyTo"`,
    values: [arrayOf.bigint(collectionIds)],
  });
  return rows;
}
