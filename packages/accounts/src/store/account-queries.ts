import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';

/** An account as its operator sees it. */
export type AccountRow = {
  /** Lower-case. */
  readonly account: Hex;
  readonly persistentId: string;
  readonly name: string;
  readonly email: string;
  readonly description: string;
  readonly displayTimezone: string;
  readonly dateJoined: Date;
  /** Whether the grant of its address to the operator was seen on chain. */
  readonly grantSeen: boolean;
  /** Since when none of its keys is accepted; null when they are. */
  readonly disabledAt: Date | null;
  /** Of each of its keys; null: the service's default. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  /** Keys that are neither revoked nor expired. */
  readonly keys: number;
};

type Row = Omit<AccountRow, 'account' | 'rateLimit'> & {
  readonly address: Buffer;
  readonly perSecond: number | null;
  readonly burst: number | null;
};

/** $1 is the current time. */
const select = `
  select address, persistent_id as "persistentId", name, email, description, display_timezone as "displayTimezone",
    date_joined as "dateJoined", grant_seen as "grantSeen", disabled_at as "disabledAt",
    rate_limit_per_second as "perSecond", rate_limit_burst as burst,
    (select count(*)::integer from api_keys k where k.account = a.address and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > $1)) as keys
  from accounts a`;

export async function selectAccount(client: Client, account: Hex, now: Date): Promise<AccountRow | undefined> {
  const { rows } = await client.query<Row>(`${select} where address = $2`, [now, bytesOfHex(account)]);
  return rows.map(accountOf)[0];
}

/** By derivation index, which is the order of opening. The e-mail address is compared without regard to case. */
export async function selectAccounts(
  client: Client,
  page: { readonly limit: number; readonly after?: Hex; readonly email?: string },
  now: Date,
): Promise<readonly AccountRow[]> {
  const { rows } = await client.query<Row>(
    `${select}
     where ($2::bytea is null or derivation_index > (select derivation_index from accounts where address = $2))
       and ($3::text is null or lower(email) = lower($3))
     order by derivation_index limit $4`,
    [now, page.after === undefined ? null : bytesOfHex(page.after), page.email?.trim() ?? null, page.limit],
  );
  return rows.map(accountOf);
}

/** Keeps the first time that was set; null removes it. */
export async function markDisabled(client: Client, account: Hex, at: Date | null): Promise<void> {
  await client.query(
    `update accounts set disabled_at = case when $2::timestamptz is null then null else coalesce(disabled_at, $2) end
     where address = $1`,
    [bytesOfHex(account), at],
  );
}

const accountOf = ({ address, perSecond, burst, ...others }: Row): AccountRow => ({
  account: hexOfBytes(address),
  ...others,
  rateLimit: perSecond === null || burst === null ? null : { perSecond, burst },
});
