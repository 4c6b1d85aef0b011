import { appendEvents } from '@indelible/event-store';
import { arrayOf, type Client } from '@indelible/postgres';
import type { RevertPlan } from '../decisions/plan-revert.ts';
import { schema } from '../schema.ts';

/** Writes what a reorg takes back; the rows were locked when read. */
export async function writeRevert(client: Client, plan: RevertPlan): Promise<void> {
  await revertBatches(client, plan.batchIds);
  await revertStamps(client, plan.stampIds);
  await revertCollections(client, plan.collectionIds);
  await appendEvents(client, schema, plan.events);
}

/** They wait for a block again. */
async function revertBatches(client: Client, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: 'revert-batches',
    text: `update batches set status = 'signed', block_number = null, block_hash = null,
             taken_back_at = clock_timestamp(), nonce_used_block = null, nonce_used_hash = null
           where id = any($1::uuid[])`,
    values: [arrayOf.uuid(ids)],
  });
}

/**
 * Returns confirmed stamps to waiting. They no longer count as the one exclusive stamp in flight of their identity: a
 * later one may be on its way, and every new decision sees both (I2).
 */
async function revertStamps(client: Client, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: 'revert-stamps',
    text: `update stamps set status = 'requested', exclusive = exclusive and status <> 'confirmed',
             batch_id = null, batch_index = null, version = version + (status = 'confirmed')::int,
             transaction_hash = null, log_index = null, block_number = null, block_hash = null, block_time = null
           where id = any($1::uuid[])`,
    values: [arrayOf.uuid(ids)],
  });
}

async function revertCollections(client: Client, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: 'revert-collections',
    text: `update collections set created_block = null, created_time = null, created_transaction = null,
             created_block_hash = null, created_log_index = null,
             is_created = false, version = version + is_created::int
           where id = any($1::bigint[])`,
    values: [arrayOf.bigint(ids)],
  });
}
