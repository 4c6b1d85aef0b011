import type { ConfirmationDepth, TransactionReceipt } from '@indelible/ethereum';
import { bytesOfHex } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import type { AddressedReply } from '@indelible/replies';
import { failStamps } from '../confirming/fail-stamps.ts';
import { announceWork } from '../work-channel.ts';
import { putBackToWaiting } from './batch-queries.ts';

export type SettledReceipt = Pick<TransactionReceipt, 'status' | 'blockNumber' | 'blockHash'>;

/**
 * Settles a batch whose transaction is in a block, as its receipt says, though no log of it will come: it had no effect
 * left to have (every set was on the chain already), or it reverted. After a revert the items wait again, in smaller
 * batches; one that was alone can never be on the chain and fails with the reason (I6). A transaction in a block that
 * is not deep enough, or that the indexer has yet to read, is left for later.
 */
export function settleBatch(
  dependencies: { readonly database: Database; readonly chainId: number; readonly confirmation: ConfirmationDepth },
  batchId: string,
  receipt: SettledReceipt,
): Promise<readonly AddressedReply[]> {
  return dependencies.database.transaction(async (client) => {
    const { rows } = await client.query<{ stamps: number }>({
      name: 'settle-lock-batch',
      text: `select (select count(*) from stamps where id = any(b.stamp_ids) and status = 'requested') as stamps
             from batches b
             where b.id = $1 and b.status = 'signed'
               and exists (select from chain_cursor where chain_id = $2 and case $3::text when 'safe' then safe
                 when 'finalized' then finalized else number - $3::bigint + 1 end >= $4)
             for update of b`,
      values: [batchId, dependencies.chainId, String(dependencies.confirmation), receipt.blockNumber],
    });
    const batch = rows[0];
    if (batch === undefined) return [];
    if (receipt.status === 'success') {
      if (batch.stamps === 0) await markBatch(client, batchId, 'included', receipt);
      return [];
    }
    await markBatch(client, batchId, 'reverted', receipt);
    await client.query('update collections set batch_id = null where batch_id = $1 and created_block is null', [
      batchId,
    ]);
    if (batch.stamps === 1)
      return failStamps(client, 'batch', batchId, {
        code: 'stamp-failed',
        message: 'the chain refused the commitment',
      });
    await putBackToWaiting(client, batchId, true);
    await announceWork(client);
    return [];
  });
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
