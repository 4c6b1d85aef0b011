import pg from 'pg';

/** A connection whose own statements do not count where Postgres counts them. */
export async function connectUncounted(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c pg_stat_statements.track=none' });
  await client.connect();
  return client;
}
