import { hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';
import {
  type BatchToRevert,
  type CollectionToRevert,
  mostReverted,
  type StampToRevert,
} from '../decisions/plan-revert.ts';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';

/**
 * The newest batches in blocks above the ancestor, locked, to a limit.
 * @param withFinal also those in final blocks: a chain that was reset, or reorganized below its finality, takes them
 *   back too
 */
export async function readBatchesAbove(
  client: Client,
  {
    chainId,
    ancestor,
    withFinal,
  }: { readonly chainId: number; readonly ancestor: number; readonly withFinal: boolean },
): Promise<readonly BatchToRevert[]> {
  // Each status has an index of its own.
  const newest = (status: string): string =>
    `(select id, cardinality(stamp_ids) as stamps, block_number from batches
      where status = '${status}' and chain_id = $2 and block_number > $1
      order by block_number desc, id limit ${mostReverted.batches} for update)`;
  const { rows } = await client.query<BatchToRevert>(
    `with included as ${newest('included')}${withFinal ? `, finalized as ${newest('finalized')}` : ''}
     select id, stamps from (
       select * from included${withFinal ? ' union all select * from finalized' : ''}) as b
     order by block_number desc, id limit ${mostReverted.batches}`,
    [ancestor, chainId],
  );
  return rows;
}

/** These batches' stamps in blocks, locked. */
export async function readStampsOf(
  client: Client,
  chainId: number,
  batchIds: readonly string[],
): Promise<readonly StampToRevert[]> {
  if (batchIds.length === 0) return [];
  const { rows } = await client.query<ReceiptRow & Omit<StampToRevert, 'formerReceipt'>>({
    name: 'stamps-to-revert',
    text: `select s.id as "stampId", s.version, s.status = 'confirmed' as "wasConfirmed", s.batch_id as "batchId",
             s.request_id as "requestId", s.traceparent, s.client_ref as "clientRef",
             (select name from collections where id = s.collection_id limit 1) as "collectionName", ${receiptColumns('s')}
           from stamps s
           where s.id = any(array(select unnest(stamp_ids) from batches where id = any($1::uuid[])))
             and s.batch_id = any($1::uuid[]) and s.status in ('included', 'confirmed') for update of s`,
    values: [arrayOf.uuid(batchIds)],
  });
  return rows.map((row) => {
    const { stampId, version, wasConfirmed, batchId, requestId, traceparent, clientRef, collectionName } = row;
    return {
      ...{ stampId, version, wasConfirmed, batchId, requestId, traceparent, clientRef, collectionName },
      formerReceipt: receiptOf(row, chainId),
    };
  });
}

/** Collections whose AddSet is in a block above the ancestor, locked, to a limit. */
export async function readCollectionsAbove(client: Client, ancestor: number): Promise<readonly CollectionToRevert[]> {
  const { rows } = await client.query<{
    id: number;
    version: number;
    is_created: boolean;
    account: Buffer;
    cid: Buffer;
  }>({
    name: 'collections-to-revert',
    text: `select id, version, is_created, account, cid from collections where created_block > $1
           order by created_block desc limit ${mostReverted.collections} for update`,
    values: [ancestor],
  });
  return rows.map((row) => ({
    collectionId: row.id,
    version: row.version,
    wasCreated: row.is_created,
    account: hexOfBytes(row.account),
    cid: hexOfBytes(row.cid),
  }));
}
