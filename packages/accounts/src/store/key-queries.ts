import { randomUUID } from 'node:crypto';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { createApiKey, hashApiKey, hintOfApiKey } from '../keys/api-key.ts';
import type { Scope } from '../keys/scopes.ts';

/** A key as its owner sees it: `hint` is its beginning. */
export type ApiKeyRow = {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
};

type NewKey = {
  readonly account: Hex;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
};

/** Makes and writes a key; undefined when there is no such account. */
export async function insertKey(
  client: Client,
  key: NewKey,
): Promise<{ readonly id: string; readonly apiKey: string } | undefined> {
  const id = randomUUID();
  const apiKey = createApiKey();
  const { rowCount } = await client.query(
    `insert into api_keys (id, account, name, hash, hint, scopes, created_at, expires_at)
     select $1, address, $3, $4, $5, $6, $7, $8 from accounts where address = $2`,
    [
      id,
      bytesOfHex(key.account),
      key.name,
      hashApiKey(apiKey),
      hintOfApiKey(apiKey),
      key.scopes,
      key.createdAt,
      key.expiresAt,
    ],
  );
  return rowCount === 1 ? { id, apiKey } : undefined;
}

/** The time of the first revocation; undefined when there is no such key. */
export async function markRevoked(client: Client, id: string, now: Date): Promise<Date | undefined> {
  const { rows } = await client.query<{ revokedAt: Date }>(
    'update api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning revoked_at as "revokedAt"',
    [id, now],
  );
  return rows[0]?.revokedAt;
}

/** Oldest first. */
export async function selectKeys(client: Client, account: Hex): Promise<readonly ApiKeyRow[]> {
  const { rows } = await client.query<ApiKeyRow>(
    `select id, name, hint, scopes, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
       last_used_at as "lastUsedAt"
     from api_keys where account = $1 order by created_at, id`,
    [bytesOfHex(account)],
  );
  return rows;
}
