import { bytesOfHex } from '@indelible/identifiers';
import type { AddressedReply } from '@indelible/messages';
import { arrayOf, type Client, ConflictError } from '@indelible/postgres';
import { noteDelegations } from '../accounts/delegations.ts';
import { grantRevoked } from '../accounts/unserviceable-accounts.ts';
import type { BlockPlan } from '../decisions/plan-block.ts';
import { announceWork } from '../work-channel.ts';
import {
  confirmCollections,
  includeCollections,
  mostCollections,
  noteStandingCollections,
} from './collection-queries.ts';
import { failWaitingStamps } from './fail-stamps.ts';
import { recordConfirmed } from './record-confirmed.ts';

/**
 * Writes what a block changes.
 * @param confirms whether inclusion in a block confirms a stamp, and a collection
 * @param traceOf the context of a confirmation in the trace of its stamp's decision
 * @throws ConflictError when another transaction changed what the plan was based on
 */
export async function writeBlock(
  client: Client,
  plan: BlockPlan,
  { confirms, traceOf }: { readonly confirms: boolean; readonly traceOf: (traceparent: string) => string },
): Promise<readonly AddressedReply[]> {
  const { block, delegations } = plan;
  const isGranted = await noteDelegations(client, block.number, delegations);
  await includeBatches(client, plan);
  await includeCollections(client, block, plan.sets);
  await includeStamps(client, plan, confirms);
  const replies: AddressedReply[] = [];
  // After the block's own stamps, which do not fail. The sweep finishes what is too much for one transaction.
  for (const [account, kind] of delegations)
    if (kind === 'revoke') replies.push(...(await failWaitingStamps(client, account, grantRevoked)).replies);
  if (isGranted || plan.batchIds.length > 0) await announceWork(client);
  await noteStandingCollections(client, block, plan.standing);
  const collections = confirms ? await confirmCollections(client, block.number, mostCollections) : [];
  const confirmed = { stamps: plan.confirmed, collections };
  return [...replies, ...(await recordConfirmed(client, block.chainId, confirmed, traceOf))];
}

async function includeBatches(client: Client, { block, batchIds }: BlockPlan): Promise<void> {
  if (batchIds.length === 0) return;
  const { rowCount } = await client.query({
    name: 'include-batches',
    text: `update batches set status = 'included', block_number = $2, block_hash = $3
           where id = any($1::uuid[]) and status in ('signed', 'included')`,
    values: [arrayOf.uuid(batchIds), block.number, bytesOfHex(block.hash)],
  });
  if (rowCount !== batchIds.length) throw new ConflictError(`batches of block ${block.number} changed meanwhile`);
}

async function includeStamps(client: Client, { block, stamps }: BlockPlan, confirms: boolean): Promise<void> {
  if (stamps.length === 0) return;
  const { rowCount } = await client.query({
    name: 'include-stamps',
    text: `
      update stamps s set status = $5, version = s.version + $6, batch_id = l.batch_id, batch_index = l.batch_index,
        transaction_hash = l.hash, log_index = l.log_index, block_number = $7, block_hash = $8, block_time = $9
      from (
        -- Taken for a thousand, where arrays are for ten: then the two are joined by a hash.
        select ($1::uuid[])[n] as id, ($2::uuid[])[n] as batch_id, ($3::int[])[n] as batch_index, ($4::int[])[n] as log_index,
          ($10::bytea[])[n] as hash
        from generate_series(1, cardinality($1::uuid[])) as n) as l
      where s.id = l.id and s.id = any($1::uuid[]) and s.status = 'requested'`,
    values: [
      arrayOf.uuid(stamps.map(({ stampId }) => stampId)),
      arrayOf.uuid(stamps.map(({ batchId }) => batchId)),
      arrayOf.int(stamps.map(({ batchIndex }) => batchIndex)),
      arrayOf.int(stamps.map(({ logIndex }) => logIndex)),
      confirms ? 'confirmed' : 'included',
      confirms ? 1 : 0,
      block.number,
      bytesOfHex(block.hash),
      block.time,
      arrayOf.bytea(stamps.map(({ transactionHash }) => transactionHash)),
    ],
  });
  if (rowCount !== stamps.length) throw new ConflictError(`stamps of block ${block.number} changed meanwhile`);
}
