import type { Client } from '@indelible/postgres';

const keyOf = 'hashtextextended($1, 0)';
const nameOf = (projection: string): string => `projection ${projection}`;

/**
 * Waits while the projection is being swapped; called first in each transaction that applies its messages, and delays a
 * swap until that transaction ends. Queries and other projections do not wait.
 */
export async function passGate(client: Client, projection: string): Promise<void> {
  await client.query({
    name: 'pass-gate',
    text: `select pg_advisory_xact_lock_shared(${keyOf})`,
    values: [nameOf(projection)],
  });
}

/** Blocks all others at the gate until this transaction ends. */
export async function closeGate(client: Client, projection: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${keyOf})`, [nameOf(projection)]);
}

/** Reserves rebuilding in the schema for this session; false if another has it. */
export async function reserveSchema(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${keyOf}) as held`, [
    `rebuild ${schema}`,
  ]);
  return rows[0]?.held === true;
}

/** Blocks migrations of the schema until this transaction ends; false when one runs now. */
export async function holdOffMigrations(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_xact_lock(${keyOf}) as held`, [
    `migrate ${schema}`,
  ]);
  return rows[0]?.held === true;
}
