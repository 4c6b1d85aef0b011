import { appendEvents, newEvent } from '@indelible/event-store';
import { hexOfBytes } from '@indelible/identifiers';
import { CollectionReverted, StampReverted } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { revertDelegations } from '../accounts/delegations.ts';
import { reopenNonces } from '../batching/reopen-nonces.ts';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';
import { collectionStream } from '../requests/collection-queries.ts';
import { schema } from '../schema.ts';
import { stampStream } from '../stamp-stream.ts';
import { announceWork } from '../work-channel.ts';

/** With so many stamps, or collections, a transaction has taken back enough; batches are read in such steps. */
const most = { stamps: 2_000, batches: 64, collections: 1_000 };

/**
 * Takes back what blocks above the ancestor had confirmed, as much of it as one transaction should, the newest first (I4). The
 * stored transactions are broadcast again unchanged: with their nonces and items they can be included once more, and once
 * only (I3).
 * @returns whether nothing above the ancestor is left; until then it is to be called again, before any other fact is handled
 */
export async function revertBlocks(
  client: Client,
  { chainId, ancestor, finalized }: { readonly chainId: number; readonly ancestor: number; readonly finalized: number },
): Promise<{ readonly stamps: number; readonly done: boolean }> {
  const taken = await revertBatches(client, chainId, ancestor, finalized);
  const done = taken.done && (await revertCollections(client, ancestor));
  if (done) {
    await reopenNonces(client, chainId, ancestor);
    await revertDelegations(client, ancestor);
  }
  await announceWork(client, 'rebroadcast');
  return { stamps: taken.stamps, done };
}

async function revertBatches(
  client: Client,
  chainId: number,
  ancestor: number,
  finalized: number,
): Promise<{ readonly stamps: number; readonly done: boolean }> {
  let seen = 0;
  let stamps = 0;
  // A chain that was reset, or turned below its finality, takes back what is final as well.
  for (const status of ancestor < finalized ? (['finalized', 'included'] as const) : (['included'] as const))
    for (;;) {
      const batches = await takeBack(client, chainId, status, ancestor);
      const reverted = await revertStamps(client, chainId, batches);
      stamps += reverted.told;
      seen += reverted.seen;
      if (seen >= most.stamps) return { stamps, done: false };
      if (batches.length === 0) break;
    }
  return { stamps, done: true };
}

/**
 * Batches in blocks above wait for a block again, the newest first, as many as have some stamps together. The status is part of
 * the text, so that its index serves.
 */
async function takeBack(
  client: Client,
  chainId: number,
  status: 'included' | 'finalized',
  ancestor: number,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with newest as (
       select id, cardinality(stamp_ids) as stamps, block_number from batches
       where status = '${status}' and chain_id = $2 and block_number > $1
       order by block_number desc, id limit ${most.batches}
     ), counted as (
       select id, sum(stamps) over (order by block_number desc, id) - stamps as before from newest)
     update batches set status = 'signed', block_number = null, block_hash = null, taken_back_at = clock_timestamp(),
       nonce_used_block = null, nonce_used_hash = null
     where id = any(array(select id from counted where before < ${most.stamps})) returning id`,
    [ancestor, chainId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Stamps that were confirmed wait again, and no longer count for the one exclusive stamp that an identity may have in
 * flight: a later one of the same identity may be on its way, and every new decision sees both anyway (I2).
 */
async function revertStamps(
  client: Client,
  chainId: number,
  batchIds: readonly string[],
): Promise<{ readonly seen: number; readonly told: number }> {
  if (batchIds.length === 0) return { seen: 0, told: 0 };
  const { rows: gone } = await client.query<
    ReceiptRow & {
      id: string;
      version: number;
      was_confirmed: boolean;
      batch_id: string;
      request_id: string | null;
      traceparent: string | null;
      client_ref: string | null;
      collection_name: string | null;
    }
  >({
    name: 'stamps-to-revert',
    text: `select s.id, s.version, s.status = 'confirmed' as was_confirmed, s.batch_id, s.request_id, s.traceparent,
             s.client_ref,
             (select name from collections where id = s.collection_id limit 1) as collection_name, ${receiptColumns('s')}
           from stamps s
           where s.id = any(array(select unnest(stamp_ids) from batches where id = any($1::uuid[])))
             and s.batch_id = any($1::uuid[]) and s.status in ('included', 'confirmed') for update of s`,
    values: [arrayOf.uuid(batchIds)],
  });
  await client.query({
    name: 'revert-stamps',
    text: `update stamps set status = 'requested', exclusive = exclusive and status <> 'confirmed',
             batch_id = null, batch_index = null, version = version + (status = 'confirmed')::int,
             transaction_hash = null, log_index = null, block_number = null, block_hash = null, block_time = null
           where id = any($1::uuid[])`,
    values: [arrayOf.uuid(gone.map(({ id }) => id))],
  });
  const told = gone.filter((row) => row.was_confirmed);
  const revertedAt = new Date().toISOString();
  await appendEvents(
    client,
    schema,
    told.map((row) =>
      newEvent(
        StampReverted,
        {
          stampId: row.id,
          formerReceipt: receiptOf(row, chainId),
          requestId: row.request_id,
          batchId: row.batch_id,
          collectionName: row.collection_name,
          clientRef: row.client_ref,
          revertedAt,
        },
        {
          stream: stampStream(row.id),
          version: row.version + 1,
          ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
        },
      ),
    ),
  );
  return { seen: gone.length, told: told.length };
}

/** @returns whether none is left */
async function revertCollections(client: Client, ancestor: number): Promise<boolean> {
  const { rows } = await client.query<{
    id: number;
    version: number;
    is_created: boolean;
    account: Buffer;
    cid: Buffer;
  }>({
    name: 'collections-to-revert',
    text: `select id, version, is_created, account, cid from collections where created_block > $1
           order by created_block desc limit ${most.collections} for update`,
    values: [ancestor],
  });
  await client.query({
    name: 'revert-collections',
    text: `update collections set created_block = null, created_time = null, created_transaction = null,
             created_block_hash = null, created_log_index = null,
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
  return rows.length < most.collections;
}
