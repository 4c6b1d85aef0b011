import type { Client } from '@indelible/postgres';

const keyOf = 'hashtextextended($1, 0)';
const nameOf = (projection: string): string => `projection ${projection}`;

/**
 * Waits while the projection is being swapped, first of all in each transaction that applies its messages, and keeps a
 * swap waiting until that transaction has ended. Nobody else waits: neither queries nor other projections.
 */
export async function passGate(client: Client, projection: string): Promise<void> {
  await client.query({
    name: 'pass-gate',
    text: `select pg_advisory_xact_lock_shared(${keyOf})`,
    values: [nameOf(projection)],
  });
}

/** Keeps everyone else before the gate until this transaction ends. */
export async function closeGate(client: Client, projection: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${keyOf})`, [nameOf(projection)]);
}

/** Whether no one else rebuilds anything in the schema, as long as the session lives. */
export async function reserveSchema(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock(${keyOf}) as held`, [
    `rebuild ${schema}`,
  ]);
  return rows[0]?.held === true;
}

/** Keeps migrations of the schema waiting until this transaction ends; false when one runs now. */
export async function holdOffMigrations(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_xact_lock(${keyOf}) as held`, [
    `migrate ${schema}`,
  ]);
  return rows[0]?.held === true;
}
