import type { Logger } from '@indelible/service-runtime';
import pg from 'pg';
import { sessionAddress } from './session-address.ts';
import { createSessionPool } from './session-pool.ts';

/** int8 comes as a number: positions, sizes and block numbers stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A connection silent for this long is probed: a dead peer is noticed ten seconds later. */
export const keepAliveInitialDelayMillis = 10_000;

export type Client = Pick<pg.PoolClient, 'query'>;

export type Database = {
  /** Of the pool: the application name of its sessions. */
  readonly name: string;
  readonly url: string;
  readonly schema: string;
  /** For a single statement outside a transaction. */
  query: Client['query'];
  /** Runs `work` in one transaction: commits when it resolves, rolls back when it rejects. */
  transaction<Result>(work: (client: Client) => Promise<Result>): Promise<Result>;
  /** Connections now: all, idle ones, and callers waiting for one. */
  poolSize(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Whether the server answers. */
  reachable(): Promise<boolean>;
  /** May be called again: a service stopped during its start stops its parts twice. */
  close(): Promise<void>;
};

/**
 * How sessions plan. Just-in-time compilation costs more than our statements: set-wise ones look expensive to the
 * planner. And each has its index: only statistics that are old, or of an empty table, lead to a full scan. Joins are
 * written so that even a generic plan must use the index: with `= any`, or a lateral look-up with a limit.
 */
export const planning = '-c jit=off -c enable_seqscan=off';

/** node-postgres' error for a passed `query_timeout`: the statement may still be running. */
const isUnanswered = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout';

/**
 * A pool whose sessions see one schema only: a service reads and writes nothing but its own tables.
 * Statements and idle transactions are bounded in time, so that nothing can hold back the outbox for long.
 */
export function createDatabase(options: {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** What one statement may take on the server, in ms. Default 30,000. */
  readonly statementTimeoutMs?: number;
  /**
   * After this time without a statement the server ends a transaction, whose locks others may wait for: its process
   * hangs. In ms, default 30,000.
   */
  readonly idleInTransactionMs?: number;
  /** Without a response for so long a statement and its connection are given up, in ms. Default 5,000 more. */
  readonly answerTimeoutMs?: number;
  readonly logger: Logger;
}): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const address = sessionAddress(options.url);
  const pool = createSessionPool({
    ...address,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    statement_timeout: statementTimeoutMs,
    // A dead server responds neither to a statement nor to its cancellation.
    query_timeout: options.answerTimeoutMs ?? statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? 30_000,
    options: `${address.options ?? ''} -c search_path=${options.schema} ${planning}`,
  });
  let closing: Promise<void> | undefined;
  pool.on('error', (error) => options.logger.warn({ err: error }, 'an idle connection to Postgres broke'));
  return {
    name: options.applicationName,
    url: options.url,
    schema: options.schema,
    query: pool.query.bind(pool) as Client['query'],
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('begin');
        const result = await work(client);
        await client.query('commit');
        return result;
      } catch (error) {
        if (isUnanswered(error)) broken = error;
        else
          try {
            await client.query('rollback');
          } catch (rollbackError) {
            broken = rollbackError as Error;
          }
        throw error;
      } finally {
        client.release(broken);
      }
    },
    poolSize: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async reachable() {
      try {
        await pool.query('select 1');
        return true;
      } catch {
        return false;
      }
    },
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}
