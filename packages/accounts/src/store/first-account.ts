import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { hashApiKey } from '../keys/api-key.ts';
import { apiScopes } from '../keys/scopes.ts';
import { insertKey } from './key-queries.ts';
import { type GrantTerms, prepareAccount, writeAccount } from './open-account.ts';
import { type NewAccount, readProfile } from './profile.ts';

/** `change` other than `none`: the key is new, and its caller is the only one to have it. */
export type FirstAccount = {
  readonly account: Hex;
  readonly persistentId: string;
  readonly apiKey: string;
  readonly change: 'none' | 'new-key' | 'opened';
};

type Remembered = { readonly account: Hex; readonly apiKey: string };

/**
 * Ensures an account and a working key for the caller. The caller's remembered key is kept while it works; a lost or
 * ended key is replaced by a new one of the same account. If none is remembered, or it is from another database, the
 * account with the same name and e-mail is used, or opened: nobody else's account is touched. Concurrent callers take
 * turns.
 */
export async function ensureFirstAccount(
  database: Database,
  remembered: Remembered | undefined,
  request: NewAccount,
  terms: GrantTerms,
  now: Date,
): Promise<FirstAccount> {
  const profile = readProfile(request);
  const known = await database.transaction((client) => findOrRenew(client, remembered, profile, now));
  if (known !== undefined) return known;
  const prepared = await prepareAccount(database, request, terms);
  return database.transaction(async (client): Promise<FirstAccount> => {
    const madeMeanwhile = await findOrRenew(client, remembered, profile, now);
    if (madeMeanwhile !== undefined) return madeMeanwhile;
    const { account, persistentId, apiKey } = await writeAccount(client, database.schema, prepared, now);
    return { account, persistentId, apiKey, change: 'opened' };
  });
}

async function findOrRenew(
  client: Client,
  remembered: Remembered | undefined,
  profile: Pick<NewAccount, 'name' | 'email'>,
  now: Date,
): Promise<FirstAccount | undefined> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('accounts.first-account', 0))`);
  const { rows } = await client.query<{ address: Buffer; persistentId: string; keyWorks: boolean }>(
    `select a.address, a.persistent_id as "persistentId", exists (
       select from api_keys k where k.account = a.address and k.hash = $2 and k.revoked_at is null
         and (k.expires_at is null or k.expires_at > $3)) as "keyWorks"
     from accounts a where a.address = $1::bytea or (a.name = $4 and a.email = $5)
     order by (a.address = $1::bytea) desc nulls last, a.derivation_index limit 1`,
    [
      remembered === undefined ? null : bytesOfHex(remembered.account),
      hashApiKey(remembered?.apiKey ?? ''),
      now,
      profile.name,
      profile.email,
    ],
  );
  const found = rows[0];
  if (found === undefined) return undefined;
  const account = hexOfBytes(found.address);
  const { persistentId } = found;
  if (remembered !== undefined && found.keyWorks)
    return { account, persistentId, apiKey: remembered.apiKey, change: 'none' };
  const key = await insertKey(client, {
    account,
    name: 'first, renewed',
    scopes: apiScopes,
    createdAt: now,
    expiresAt: null,
  });
  if (key === undefined) throw new Error('an account just read was not found');
  return { account, persistentId, apiKey: key.apiKey, change: 'new-key' };
}
