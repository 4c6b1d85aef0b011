import type { Client } from '@indelible/postgres';
import type { Projection, Schemas } from './projection.ts';
import { tableIn } from './shadow-schema.ts';

/** Enough to show that something is wrong, and few enough to check again while the live projection is paused. */
const most = 10_000;

/**
 * Finds rows that a swap would lose, before the live projection is paused: some may be too new for the shadow, so
 * {@link countVanishing} checks them again.
 */
export async function findVanishing(client: Client, projection: Projection, schemas: Schemas): Promise<void> {
  const { table, key, bounds, lost } = projection.vanishing(schemas);
  const found = tableIn(schemas.shadow, 'vanishing');
  await client.query(`drop table if exists ${found}`);
  await client.query(
    `create table ${found} as ${withBounds(bounds)}
     select ${key.map((column) => `l.${column}`).join(', ')} from ${tableIn(schemas.live, table)} l
     where ${lost} limit ${most}`,
  );
}

/** How many of these rows a swap would still lose. */
export async function countVanishing(client: Client, projection: Projection, schemas: Schemas): Promise<number> {
  const { table, key, bounds, lost } = projection.vanishing(schemas);
  const found = tableIn(schemas.shadow, 'vanishing');
  const candidates = await client.query(`select from ${found} limit 1`);
  if (candidates.rowCount === 0) return 0;
  const { rows } = await client.query<{ rows: number }>(
    `${withBounds(bounds)} select count(*) as rows
     from ${found} v join ${tableIn(schemas.live, table)} l using (${key.join(', ')}) where ${lost}`,
  );
  return rows[0]?.rows ?? 0;
}

const withBounds = (bounds: string | undefined): string =>
  bounds === undefined ? '' : `with bounds as materialized (${bounds})`;
