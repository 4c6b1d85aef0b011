import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';

export type WaitingGrant = { readonly account: Hex; readonly nonce: number; readonly signature: Hex };

/** Locks the next account whose grant is in no batch yet. */
export async function claimGrant(client: Client): Promise<WaitingGrant | undefined> {
  const { rows } = await client.query<{ account: Buffer; grant_nonce: number; grant_signature: Buffer }>({
    name: 'claim-grant',
    text: `select account, grant_nonce, grant_signature from accounts
           where granted_block is null and grant_batch_id is null
           order by opened_at limit 1 for update skip locked`,
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  return { account: hexOfBytes(row.account), nonce: row.grant_nonce, signature: hexOfBytes(row.grant_signature) };
}
