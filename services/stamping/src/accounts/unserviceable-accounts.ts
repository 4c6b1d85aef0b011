import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Refusal } from '@indelible/messages';
import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** Why nothing can be stamped for an account that revoked its grant on chain. */
export const grantRevoked: Refusal = {
  code: 'grant-revoked',
  message: 'the account has revoked the grant that lets the service stamp for it',
};

const grantRefused: Refusal = {
  code: 'grant-refused',
  message: 'the chain refused the grant that lets the service stamp for the account',
};

/** How often a grant's transaction may revert before the grant is refused. */
const mostGrantReverts = 3;

/** Must equal that of the index accounts_unserviceable. */
export const unserviceable = `(revoked_block is not null or (granted_block is null and grant_reverts >= ${mostGrantReverts}))`;

export type UnserviceableRow = { account: Buffer; revoked: boolean };
const columns = 'account, revoked_block is not null as revoked';
const refusalOf = ({ revoked }: UnserviceableRow): Refusal => (revoked ? grantRevoked : grantRefused);

/** Selects the accounts for which nothing can be stamped. */
export const selectUnserviceable = (accounts: string): string =>
  `select ${columns} from accounts where account = any(${accounts}::bytea[]) and ${unserviceable}`;

export const refusalsOf = (rows: readonly UnserviceableRow[]): ReadonlyMap<Hex, Refusal> =>
  new Map(rows.map((row) => [hexOfBytes(row.account), refusalOf(row)]));

/** Which accounts nothing can be stamped for, and why. */
export async function loadUnserviceable(client: Client, accounts: readonly Hex[]): Promise<ReadonlyMap<Hex, Refusal>> {
  const { rows } = await client.query<UnserviceableRow>({
    name: 'load-unserviceable',
    text: selectUnserviceable('$1'),
    values: [arrayOf.bytea([...new Set(accounts)])],
  });
  return refusalsOf(rows);
}

/** Accounts for which nothing can be stamped although stamps or collections of theirs wait, at most `limit`. */
export async function findUnserviceableWaiting(
  database: Pick<Database, 'query'>,
  limit: number,
): Promise<readonly { readonly account: Hex; readonly refusal: Refusal }[]> {
  const { rows } = await database.query<UnserviceableRow>({
    name: 'find-unserviceable-waiting',
    text: `select ${columns} from accounts a
           where ${unserviceable}
             and ((select true from waiting_stamps w where w.account = a.account order by w.seq limit 1) is not null
               or (select true from collections c where c.account = a.account
                     and created_block is null and batch_id is null and reverted_batches = 0
                   order by c.account, c.id limit 1) is not null
               or a.account in (select c.account from collections c
                   where created_block is null and batch_id is null and reverted_batches > 0 and reverted_batches < 10))
           limit $1`,
    values: [limit],
  });
  return rows.map((row) => ({ account: hexOfBytes(row.account), refusal: refusalOf(row) }));
}

/**
 * Lets grants whose transaction reverted be made again, a few times: another transaction may have used the signature,
 * and its log is not read yet.
 * @returns how many
 */
export async function releaseRevertedGrants(client: Pick<Client, 'query'>): Promise<number> {
  const { rowCount } = await client.query(`
    update accounts set grant_reverts = grant_reverts + 1,
      grant_batch_id = case when grant_reverts + 1 < ${mostGrantReverts} then null else grant_batch_id end
    where granted_block is null and grant_batch_id is not null and grant_reverts < ${mostGrantReverts}
      and (select status from batches where id = grant_batch_id limit 1) = 'reverted'`);
  return rowCount ?? 0;
}

/** Permanently refuses this batch's grant: nothing can be stamped for its account. */
export async function refuseGrant(client: Pick<Client, 'query'>, batchId: string): Promise<void> {
  await client.query(
    `update accounts set grant_reverts = ${mostGrantReverts} where grant_batch_id = $1 and granted_block is null`,
    [batchId],
  );
}
