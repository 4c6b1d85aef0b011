import type { Client } from '@indelible/postgres';
import pg from 'pg';
import { holdOffMigrations } from './gate.ts';
import { type Projection, RebuildError } from './projection.ts';
import { allTables, checkAlike, schemasOf, tableIn } from './shadow-schema.ts';

/** SQLSTATEs of a lock not acquired in time: lock_not_available, deadlock_detected. */
const busyCodes = new Set(['55P03', '40P01']);
export const isBusy = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && busyCodes.has(String(error.code));

/**
 * Replaces the live tables by the shadow's, in the caller's transaction: they move between schemas with their names,
 * indexes and partitions, so that every statement, prepared or not, uses the new ones at its next execution. Queries in
 * flight finish on the old tables first. New ones wait for at most `waitMs` and the move itself.
 * @throws an error for which {@link isBusy} holds when queries in flight take longer
 */
export async function moveTables(client: Client, projection: Projection, waitMs: number): Promise<void> {
  const { live, shadow, retired } = schemasOf(projection.schema);
  if (!(await holdOffMigrations(client, live)))
    throw new RebuildError(`schema ${live} is being migrated`, { retryable: true });
  await checkAlike(client, projection.schema);
  const tables = await allTables(client, live, projection.tables);
  const grown = await allTables(client, shadow, projection.tables);
  if (tables.join() !== grown.join())
    throw new RebuildError(`schema ${live} has other partitions than its migrations make`, { retryable: false });

  await setLockTimeout(client, waitMs);
  await client.query(
    `lock table ${projection.tables.map((table) => tableIn(live, table)).join(', ')} in access exclusive mode`,
  );
  await copyGrants(client, live, shadow, tables);
  await client.query(`create schema ${pg.escapeIdentifier(retired)}`);
  for (const [from, to] of [
    [live, retired],
    [shadow, live],
  ] as const)
    for (const table of tables)
      await client.query(`alter table ${tableIn(from, table)} set schema ${pg.escapeIdentifier(to)}`);
}

/** Until the transaction's end. */
export async function setLockTimeout(client: Client, ms: number): Promise<void> {
  await client.query(`set local lock_timeout = ${Math.ceil(ms)}`);
}

/** Copies the old tables' grants to the new ones. */
async function copyGrants(client: Client, live: string, shadow: string, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('grant %s on table %I.%I to %s', a.privilege_type, $2::text, c.relname,
       case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end) as statement
     from pg_class c cross join lateral aclexplode(c.relacl) as a
     where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relname = any($3::text[])
       and a.grantee <> c.relowner`,
    [live, shadow, tables],
  );
  for (const { statement } of rows) await client.query(statement);
}
