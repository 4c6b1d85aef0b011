import { decodeDelegatedAuthority, encodeDelegatedAuthority } from '@indelible/commitment-contract';
import { ethCall, type Rpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import type { AddressedReply } from '@indelible/replies';
import { grantRevoked } from '../accounts/revoked-accounts.ts';
import { failStamps } from '../confirming/fail-stamps.ts';
import { announceWork } from '../work-channel.ts';
import type { SettledReceipt } from './settled-receipt.ts';

/**
 * A grant whose transaction reverted counts where the chain has it all the same. Else it is tried again, unless the chain refuses it now as well: its signature is used up, so
 * that nothing can be stamped for the account until it grants again. What waits for it fails with the reason (I6).
 */
export async function settleRevertedGrant(
  client: Client,
  batchId: string,
  receipt: SettledReceipt,
): Promise<readonly AddressedReply[]> {
  if (receipt.granted) {
    await client.query(
      'update accounts set granted_block = $2 where grant_batch_id = $1 and granted_block is null and revoked_block is null',
      [batchId, receipt.blockNumber],
    );
    await announceWork(client);
    return [];
  }
  if (!receipt.repeats) {
    await freeGrant(client, batchId);
    await announceWork(client);
    return [];
  }
  const { rows } = await client.query<{ account: Buffer }>(
    `update accounts set revoked_block = $2
     where grant_batch_id = $1 and granted_block is null returning account`,
    [batchId, receipt.blockNumber],
  );
  const replies: AddressedReply[] = [];
  for (const { account } of rows)
    replies.push(...(await failStamps(client, 'waiting of account', account, grantRevoked)));
  return replies;
}

/** The account's grant waits for another batch. */
export async function freeGrant(client: Client, batchId: string): Promise<void> {
  await client.query('update accounts set grant_batch_id = null where grant_batch_id = $1 and granted_block is null', [
    batchId,
  ]);
}

/** Whether the chain has the grant of the batch's account, whoever recorded it; false for a batch of commitments. */
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
