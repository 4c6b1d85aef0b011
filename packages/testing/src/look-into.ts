import pg from 'pg';

/** Connections to a database that a test looks into while its server comes and goes: one that breaks is made again. */
export function lookInto(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 2,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  pool.on('error', () => {});
  return pool;
}
