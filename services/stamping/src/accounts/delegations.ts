import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';

/**
 * Notes who granted or revoked the operator's right in a block. Users without an account are noted as well, since an account may be
 * opened after its grant.
 * @returns whether anybody may now be stamped for
 */
export async function noteDelegations(
  client: Client,
  blockNumber: number,
  delegations: ReadonlyMap<Hex, 'grant' | 'revoke'>,
): Promise<boolean> {
  if (delegations.size === 0) return false;
  await client.query({
    name: 'note-delegations',
    text: `insert into delegations (account, block_number, kind) select account, $3, kind
           from unnest($1::bytea[], $2::text[]) as n (account, kind) order by account
           on conflict (account, block_number) do update set kind = excluded.kind`,
    values: [arrayOf.bytea([...delegations.keys()]), arrayOf.text([...delegations.values()]), blockNumber],
  });
  return deriveDelegations(client, [...delegations.keys()]);
}

/** Deletes the grants and revocations of blocks above the ancestor and restores the earlier state. */
export async function revertDelegations(client: Client, ancestor: number): Promise<void> {
  const { rows } = await client.query<{ account: Buffer }>({
    name: 'revert-delegations',
    text: 'delete from delegations where block_number > $1 returning account',
    values: [ancestor],
  });
  if (rows.length > 0)
    await deriveDelegations(
      client,
      rows.map(({ account }) => hexOfBytes(account)),
    );
}

/**
 * Sets the accounts' state from their logs: the last log decides.
 * @returns whether stamping is allowed for any of the accounts
 */
export async function deriveDelegations(client: Client, accounts: readonly Hex[]): Promise<boolean> {
  const { rows } = await client.query<{ granted: boolean }>({
    name: 'derive-delegations',
    text: `update accounts a set granted_block = state.granted_block, revoked_block = state.revoked_block
           from unnest($1::bytea[]) as given (account) cross join lateral (
             select
               (select block_number from delegations where account = given.account and kind = 'grant'
                order by block_number desc limit 1) as granted_block,
               (select case when kind = 'revoke' then block_number end from delegations where account = given.account
                order by block_number desc limit 1) as revoked_block) as state
           where a.account = given.account and a.account = any($1::bytea[])
           returning a.granted_block is not null and a.revoked_block is null as granted`,
    values: [arrayOf.bytea([...new Set(accounts)])],
  });
  return rows.some(({ granted }) => granted);
}
