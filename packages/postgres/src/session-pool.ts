import pg from 'pg';

/**
 * A pool of sessions, each of which the server may end at any moment: its next statement rejects. node-postgres reports
 * the end by an event, which ends the process without a listener, and the pool listens only to idle sessions.
 */
export function createSessionPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  pool.on('connect', (session) => session.on('error', () => {}));
  return pool;
}
