import type { Logger } from '@indelible/service-runtime';
import pg from 'pg';
import { sessionAddress } from './session-address.ts';
import { createSessionPool } from './session-pool.ts';

/** int8 comes as a number: positions, sizes and block numbers stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A connection that is silent for so long is probed: ten seconds later a dead peer is noticed. */
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
  /** Connections now: all, those that nobody uses, and callers that wait for one. */
  poolSize(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Whether the server answers. */
  reachable(): Promise<boolean>;
  /** May be called again: a service that is stopped in its start stops its parts twice. */
  close(): Promise<void>;
};

/**
 * How sessions plan. Just-in-time compilation costs more than our statements take: set-wise ones look expensive to the
 * planner. And each has its index: a scan of a whole table is what statistics of the day before, or of an empty table, make
 * of it. Joins are written so that they cannot but go by it, whatever a generic plan takes a table for: with `= any`, or a
 * lateral look-up with a limit.
 */
export const planning = '-c jit=off -c enable_seqscan=off';

/** How node-postgres says that its `query_timeout` has passed: the statement is still on its way then. */
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
   * After so long without a statement the server ends a transaction, whose locks others may wait for: its process stands
   * still. In ms, default 30,000.
   */
  readonly idleInTransactionMs?: number;
  /** After so long without an answer a statement is given up with its connection, in ms. Default 5,000 more. */
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
    // A server that is gone without a word answers neither a statement nor its cancelling.
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
