import type { Logger } from '@indelible/service-runtime';
import pg from 'pg';

/** int8 comes as a number: positions, sizes and block numbers stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Client = Pick<pg.PoolClient, 'query'>;

export type Database = {
  readonly url: string;
  readonly schema: string;
  /** For a single statement outside a transaction. */
  query: Client['query'];
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  /** Whether the server answers. */
  reachable(): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * A pool whose sessions see one schema only: a service reads and writes nothing but its own tables.
 * Statements and idle transactions are bounded in time, so that nothing can hold back the outbox for long.
 */
export function createDatabase(options: {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  readonly maxConnections?: number;
  readonly statementTimeoutMs?: number;
  readonly logger: Logger;
}): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: 30_000,
    // Just-in-time compilation costs more than our statements take: set-wise ones look expensive to the planner.
    options: `-c search_path=${options.schema} -c jit=off`,
  });
  pool.on('error', (error) => options.logger.warn({ error }, 'an idle connection to Postgres broke'));
  return {
    url: options.url,
    schema: options.schema,
    query: pool.query.bind(pool) as Client['query'],
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      // A connection lost between two statements tells so by an event, which ends the process if nobody listens.
      const onError = (error: Error): void => {
        broken = error;
      };
      client.on('error', onError);
      try {
        await client.query('begin');
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (error) {
        try {
          await client.query('rollback');
        } catch (rollbackError) {
          broken = rollbackError as Error;
        }
        throw error;
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
    async reachable() {
      try {
        await pool.query('select 1');
        return true;
      } catch {
        return false;
      }
    },
    close: () => pool.end(),
  };
}
