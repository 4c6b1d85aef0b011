import { appendEvents, newEvent } from '@indelible/event-store';
import { hexOfBytes } from '@indelible/identifiers';
import { type BlocksReverted, CollectionReverted, StampReverted } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';
import { collectionStream } from '../requests/collection-queries.ts';
import { schema } from '../schema.ts';
import { stampStream } from '../stamp-stream.ts';
import { announceWork } from '../work-channel.ts';
import { readFinalBlock } from './cursor.ts';

/**
 * Takes back what blocks above the ancestor had confirmed (I4). The stored transactions are broadcast again unchanged:
 * with their nonces and items they can be included once more, and once only (I3).
 */
export async function revertBlocks(
  client: Client,
  { ancestor, chainId }: BlocksReverted,
): Promise<{ readonly stamps: number }> {
  const batches = await takeBack(client, chainId, 'included', ancestor.number);
  // A chain that was reset, or turned below its finality: rare enough to look at all that is final.
  if (ancestor.number < (await readFinalBlock(client, chainId)))
    batches.push(...(await takeBack(client, chainId, 'finalized', ancestor.number)));
  const stamps = await revertStamps(client, chainId, batches);
  await revertCollections(client, ancestor.number);
  await client.query('update accounts set granted_block = null where granted_block > $1', [ancestor.number]);
  await client.query('update accounts set revoked_block = null where revoked_block > $1', [ancestor.number]);
  await client.query(
    'update chain_cursor set safe = least(safe, $2), finalized = least(finalized, $2) where chain_id = $1',
    [chainId, ancestor.number],
  );
  await announceWork(client, 'rebroadcast');
  return { stamps };
}

/** Batches in blocks above wait for a block again; the status is part of the text, so that its index serves. */
async function takeBack(
  client: Client,
  chainId: number,
  status: 'included' | 'finalized',
  ancestor: number,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `update batches set status = 'signed', block_number = null, block_hash = null
     where status = '${status}' and chain_id = $2 and block_number > $1 returning id`,
    [ancestor, chainId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Stamps that were confirmed wait again, and no longer count for the one exclusive stamp that an identity may have in
 * flight: a later one of the same identity may be on its way, and every new decision sees both anyway (I2).
 */
async function revertStamps(client: Client, chainId: number, batchIds: readonly string[]): Promise<number> {
  if (batchIds.length === 0) return 0;
  const { rows: gone } = await client.query<ReceiptRow & { id: string; version: number; was_confirmed: boolean }>({
    name: 'stamps-to-revert',
    text: `select s.id, s.version, s.status = 'confirmed' as was_confirmed, ${receiptColumns('s')} from stamps s
           where s.id = any(array(select unnest(stamp_ids) from batches where id = any($1::uuid[])))
             and s.batch_id = any($1::uuid[]) and s.status in ('included', 'confirmed') for update of s`,
    values: [arrayOf.uuid(batchIds)],
  });
  await client.query({
    name: 'revert-stamps',
    text: `update stamps set status = 'requested', exclusive = exclusive and status <> 'confirmed',
             batch_id = null, batch_index = null, version = version + (status = 'confirmed')::int, transaction_hash = null, log_index = null,
             block_number = null, block_hash = null, block_time = null
           where id = any($1::uuid[])`,
    values: [arrayOf.uuid(gone.map(({ id }) => id))],
  });
  const told = gone.filter((row) => row.was_confirmed).map((row) => ({ ...row, version: row.version + 1 }));
  await appendEvents(
    client,
    schema,
    told.map((row) =>
      newEvent(
        StampReverted,
        {
          stampId: row.id,
          formerReceipt: receiptOf(row, chainId),
        },
        { stream: stampStream(row.id), version: row.version },
      ),
    ),
  );
  return told.length;
}

async function revertCollections(client: Client, ancestor: number): Promise<void> {
  const { rows } = await client.query<{
    id: number;
    version: number;
    is_created: boolean;
    account: Buffer;
    cid: Buffer;
  }>({
    name: 'collections-to-revert',
    text: 'select id, version, is_created, account, cid from collections where created_block > $1 for update',
    values: [ancestor],
  });
  await client.query({
    name: 'revert-collections',
    text: `update collections set created_block = null, created_time = null, created_transaction = null,
             is_created = false, version = version + is_created::int
           where id = any($1::bigint[])`,
    values: [arrayOf.bigint(rows.map(({ id }) => id))],
  });
  await appendEvents(
    client,
    schema,
    rows
      .filter((row) => row.is_created)
      .map((row) =>
        newEvent(
          CollectionReverted,
          { collectionId: row.id, account: hexOfBytes(row.account), cid: hexOfBytes(row.cid) },
          { stream: collectionStream(row.id), version: row.version + 1 },
        ),
      ),
  );
}
