import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Refusal } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';

/** Why nothing can be stamped for an account that took its grant back on chain. */
export const grantRevoked: Refusal = {
  code: 'grant-revoked',
  message: 'the account has revoked the grant that lets the service stamp for it',
};

/** Which of the accounts have taken their grant back. */
export async function loadRevokedAccounts(client: Client, accounts: readonly Hex[]): Promise<ReadonlySet<Hex>> {
  const { rows } = await client.query<{ account: Buffer }>({
    name: 'load-revoked-accounts',
    text: 'select account from accounts where account = any($1::bytea[]) and revoked_block is not null',
    values: [arrayOf.bytea([...new Set(accounts)])],
  });
  return new Set(rows.map((row) => hexOfBytes(row.account)));
}
