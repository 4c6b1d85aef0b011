import type { ConfirmationDepth } from '@indelible/ethereum';
import { bytesOfHex } from '@indelible/identifiers';
import type { AddressedReply } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { createStandingCollections } from '../confirming/standing-collections.ts';
import { announceWork } from '../work-channel.ts';
import { freeOrFailStamps, freeOrGiveUpCollections } from './free-items.ts';
import { settleRevertedGrant } from './settle-grant.ts';
import type { SettledReceipt } from './settled-receipt.ts';

type LockedBatch = { kind: 'commit' | 'grant'; stamps: number; reverts: number; is_alone: boolean };

/**
 * Settles, by its receipt, a batch whose transaction is in a block but has no log: it had nothing left to do (every set
 * was on the chain already), or it reverted. A reverted one is settled only once its block is final: a reorg could
 * bring the transaction back, with its nonce and items (I2, I3). Then the items wait again, in smaller batches; an item
 * that was alone and is still refused can never be on the chain, and fails with the reason (I6).
 */
export function settleBatch(
  dependencies: { readonly database: Database; readonly chainId: number; readonly confirmation: ConfirmationDepth },
  batchId: string,
  receipt: SettledReceipt,
): Promise<readonly AddressedReply[]> {
  return dependencies.database.transaction(async (client) => {
    const depth = receipt.status === 'reverted' ? 'finalized' : dependencies.confirmation;
    const batch = await lockBatch(client, batchId, dependencies.chainId, String(depth), receipt.blockNumber);
    if (batch === undefined) return [];
    if (receipt.status === 'success') {
      if (batch.stamps > 0) return [];
      await markBatch(client, batchId, 'included', receipt);
      return createStandingCollections(client, { id: batchId, chainId: dependencies.chainId }, receipt);
    }
    await markBatch(client, batchId, 'reverted', receipt);
    const refused = await freeOrGiveUpCollections(client, batchId, true);
    if (batch.kind === 'grant') {
      await settleRevertedGrant(client, batchId, receipt);
      return [];
    }
    const forGood = batch.is_alone && receipt.repeats;
    const { replies } = await freeOrFailStamps(client, batchId, { ...batch, forGood });
    await announceWork(client);
    return [...refused, ...replies];
  });
}

/** Locks the batch if it is in no known block, and the transaction's block was read and is deep enough. */
async function lockBatch(
  client: Client,
  batchId: string,
  chainId: number,
  depth: string,
  blockNumber: number,
): Promise<LockedBatch | undefined> {
  const { rows } = await client.query<LockedBatch>({
    name: 'settle-lock-batch',
    text: `select b.kind, s.stamps, s.reverts,
             not exists (select from collections c where c.batch_id = b.id and c.id <> all(s.collections)) as is_alone
           from batches b cross join lateral (
             select count(*) as stamps, coalesce(max(reverted_batches), 0) as reverts,
               coalesce(array_agg(collection_id) filter (where collection_id is not null), '{}') as collections
             from stamps where id = any(b.stamp_ids) and status = 'requested') as s
           where b.id = $1 and b.status = 'signed'
             and exists (select from chain_cursor where chain_id = $2 and case $3::text when 'safe' then safe
               when 'finalized' then finalized else number - $3::bigint + 1 end >= $4)
           for update of b`,
    values: [batchId, chainId, depth, blockNumber],
  });
  return rows[0];
}

async function markBatch(
  client: Client,
  id: string,
  status: 'included' | 'reverted',
  receipt: SettledReceipt,
): Promise<void> {
  await client.query('update batches set status = $2, block_number = $3, block_hash = $4 where id = $1', [
    id,
    status,
    receipt.blockNumber,
    bytesOfHex(receipt.blockHash),
  ]);
}
