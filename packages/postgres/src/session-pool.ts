import pg from 'pg';

/**
 * A pool of sessions, each of which the server may end at any moment: the statement that finds its session ended rejects.
 * node-postgres reports the end by an event, which ends the process if nobody listens, and the pool listens to idle sessions only.
 */
export function createSessionPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  pool.on('connect', (session) => session.on('error', () => {}));
  return pool;
}
