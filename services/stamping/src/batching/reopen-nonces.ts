import type { Client } from '@indelible/postgres';

/**
 * Reopens nonces that were used in blocks above the ancestor. If a block that counted as final vanished, batches were
 * settled by it and their items are in others: only an empty transaction may use such a nonce, without which the lane's
 * later ones would wait forever. Idempotent.
 */
export async function reopenNonces(client: Client, chainId: number, ancestor: number): Promise<void> {
  await client.query(
    `update batches set status = 'signed', is_void = true, stamp_ids = '{}', block_number = null, block_hash = null,
       taken_back_at = clock_timestamp(), nonce_used_block = null, nonce_used_hash = null
     where status in ('reverted', 'superseded') and chain_id = $1 and coalesce(block_number, nonce_used_block) > $2`,
    [chainId, ancestor],
  );
  await client.query(
    `update batches set nonce_used_block = null, nonce_used_hash = null
     where chain_id = $1 and status = 'signed' and nonce_used_block > $2`,
    [chainId, ancestor],
  );
}
