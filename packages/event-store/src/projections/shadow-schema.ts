import { type Client, migrate } from '@indelible/postgres';
import pg from 'pg';
import { type Projection, RebuildError, type Schemas } from './projection.ts';

const quoted = (name: string): string => pg.escapeIdentifier(name);

/** A table of a schema, for statements. */
export const tableIn = (schema: string, table: string): string => `${quoted(schema)}.${quoted(table)}`;

export const schemasOf = (live: string): Schemas & { readonly retired: string } => ({
  live,
  shadow: `${live}_rebuild`,
  retired: `${live}_retired`,
});

/** Removes the leftovers of this rebuild, or of a killed one. */
export async function dropLeftovers(client: Client, live: string): Promise<void> {
  const { shadow, retired } = schemasOf(live);
  await client.query(`drop schema if exists ${quoted(shadow)} cascade`);
  await client.query(`drop schema if exists ${quoted(retired)} cascade`);
}

/**
 * Creates the shadow: the service's tables, empty, and the ledger of messages applied to them.
 * @throws RebuildError when the live schema is not of this version: then its tables may have another shape
 */
export async function createShadow(client: Client, url: string, projection: Projection): Promise<void> {
  const { live, shadow } = schemasOf(projection.schema);
  const { rows } = await client.query<{ there: boolean }>('select to_regnamespace($1) is not null as there', [
    quoted(live),
  ]);
  if (rows[0]?.there !== true) throw unlike(live);
  await migrate({ url, schema: shadow, migrations: projection.migrations });
  await client.query(`create table ${tableIn(shadow, 'ledger')} (
    message_id uuid primary key,
    message_time timestamptz not null,
    written xid8 not null default pg_current_xact_id()
  )`);
  await client.query(`create index on ${tableIn(shadow, 'ledger')} (written)`);
  await checkAlike(client, projection.schema);
}

/** @throws RebuildError when other migrations have run on the live schema than on the shadow */
export async function checkAlike(client: Client, schema: string): Promise<void> {
  const { live, shadow } = schemasOf(schema);
  const { rows } = await client.query<{ alike: boolean }>(
    `select (select array_agg(name order by name) from ${tableIn(live, 'knex_migrations')})
       is not distinct from (select array_agg(name order by name) from ${tableIn(shadow, 'knex_migrations')}) as alike`,
  );
  if (rows[0]?.alike !== true) throw unlike(live);
}

const unlike = (schema: string): RebuildError =>
  new RebuildError(`schema ${schema} is not of this version: run the migrations of this version first`, {
    retryable: false,
  });

/** The projection's tables with their partitions, parents first. */
export async function allTables(client: Client, schema: string, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name
     from unnest($1::text[]) with ordinality as t(root, place)
     cross join lateral (
       select t.root::regclass as relid, 0 as level
       -- Of a table without partitions it tells nothing, not even the table.
       union select p.relid, p.level from pg_partition_tree(t.root::regclass) as p
     ) as p
     join pg_class c on c.oid = p.relid
     order by t.place, p.level, c.relname`,
    [tables.map((table) => tableIn(schema, table))],
  );
  return rows.map(({ name }) => name);
}
