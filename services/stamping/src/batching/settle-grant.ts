import { decodeDelegatedAuthority, encodeDelegatedAuthority } from '@indelible/commitment-contract';
import { ethCall, type Rpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { refuseGrant } from '../accounts/unserviceable-accounts.ts';
import { announceWork } from '../work-channel.ts';
import type { SettledReceipt } from './settled-receipt.ts';

/**
 * Settles a reverted grant. If the chain has the grant all the same, it counts. If the chain still refuses it, its
 * signature is used up: nothing can be stamped for the account until it grants again, and its requests fail (I6).
 * Otherwise the keeper of accounts retries it a few times.
 */
export async function settleRevertedGrant(client: Client, batchId: string, receipt: SettledReceipt): Promise<void> {
  if (receipt.granted)
    await client.query(
      'update accounts set granted_block = $2 where grant_batch_id = $1 and granted_block is null and revoked_block is null',
      [batchId, receipt.blockNumber],
    );
  else if (receipt.repeats) await refuseGrant(client, batchId);
  await announceWork(client);
}

/** Returns the account's grant to waiting. */
export async function freeGrant(client: Client, batchId: string): Promise<void> {
  await client.query('update accounts set grant_batch_id = null where grant_batch_id = $1 and granted_block is null', [
    batchId,
  ]);
}

/** Whether the chain has the account's grant, by any transaction; false for a batch of commitments. */
export async function hasGrant(
  parts: {
    readonly database: Pick<Database, 'query'>;
    readonly rpc: Rpc;
    readonly contract: Hex;
    readonly operator: Hex;
  },
  batchId: string,
): Promise<boolean> {
  const { rows } = await parts.database.query<{ account: Buffer }>(
    `select a.account from accounts a where a.grant_batch_id = $1
       and exists (select from batches b where b.id = $1 and b.kind = 'grant')`,
    [batchId],
  );
  if (rows[0] === undefined) return false;
  const data = encodeDelegatedAuthority({ user: hexOfBytes(rows[0].account), delegate: parts.operator });
  return decodeDelegatedAuthority(await ethCall(parts.rpc, { to: parts.contract, data }, 'latest'));
}
