import { pipeline } from 'node:stream/promises';
import type { Hex } from '@indelible/identifiers';
import { type Client, createSessionPool } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type CopiedRows, copyHeader, copyTrailer, wholeRows } from './copy-rows.ts';
import { createFairSeats } from './fair-seats.ts';

/** A connection with its own empty table `submitted (position, cid, instant, sent)`. */
export type MatchingSession = Client & {
  /** Adds bare rows of `submitted` in COPY's binary format. */
  copy(rows: Buffer): Promise<void>;
  /** A query's rows in COPY's binary format, as fast as they are taken. It has no parameters: see `literalOf`. */
  read(query: string): AsyncGenerator<CopiedRows>;
};

export type MatchingSessions = {
  /**
   * Lends a session for `work`; an account gets at most half of them, and waiting accounts take turns. Nothing of the
   * work remains: the table is emptied, or the connection is closed when `work` failed. When `signal` aborts, the
   * connection is closed at once, which ends a running statement. The work must not wait for any client: neither sender
   * nor reader.
   * @throws UnavailableError when too many wait, or no session becomes free in time; an error of Postgres
   */
  use<Result>(account: Hex, work: (session: MatchingSession) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
};

/** Per account. */
const maxWaiting = 32;
const waitMs = 30_000;
/** Of one statement: matching some ten million receipts takes a minute or two. */
const slowestStatementMs = 600_000;

const sessionSettings: readonly string[] = [
  'jit=off',
  // A session whose client disconnected must stop computing.
  'client_connection_check_interval=1s',
  // What a million rows take: a hash of them (192 MB), a sort of a part, the temporary table.
  'work_mem=64MB',
  'hash_mem_multiplier=3',
  'temp_buffers=16MB',
  // Sorting both sides of a join by CIDs takes twice as long as hashing them, which the planner does not know.
  'enable_mergejoin=off',
  // Statistics of `submitted` are only a planner hint.
  'default_statistics_target=10',
];

/**
 * A bounded pool of sessions. An upload must never be one long transaction: the outbox relays read only below the
 * oldest running one that writes. So each copy commits on its own, into a temporary table of the session.
 */
export function createMatchingSessions(options: {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  readonly maxSessions: number;
  readonly logger: Logger;
}): MatchingSessions {
  const pool = createSessionPool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxSessions,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: slowestStatementMs,
    idle_in_transaction_session_timeout: 30_000,
    options: [`search_path=${options.schema}`, ...sessionSettings].map((setting) => `-c ${setting}`).join(' '),
  });
  const seats = createFairSeats({
    seats: options.maxSessions,
    perAccount: Math.ceil(options.maxSessions / 2),
    maxWaiting,
    waitMs,
  });
  pool.on('error', (error) => options.logger.warn({ err: error }, 'an idle connection to Postgres broke'));
  async function lend<Result>(
    work: (session: MatchingSession) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const client = await pool.connect();
    const end = (): void => {
      if (client instanceof pg.Client) void client.end();
    };
    signal.addEventListener('abort', end, { once: true });
    let sound = false;
    try {
      signal.throwIfAborted();
      await client.query(createTable);
      const result = await work({
        query: client.query.bind(client) as Client['query'],
        copy: (rows) =>
          pipeline(
            [copyHeader, rows, copyTrailer],
            client.query(copyFrom('copy pg_temp.submitted from stdin (format binary)')),
          ),
        read: (query) => wholeRows(client.query(copyTo(`copy (${query}) to stdout (format binary)`))),
      });
      await client.query('truncate pg_temp.submitted');
      sound = true;
      return result;
    } finally {
      signal.removeEventListener('abort', end);
      client.release(!sound);
    }
  }

  return {
    async use(account, work, signal) {
      const leave = await seats.take(account, signal);
      try {
        return await lend(work, signal);
      } finally {
        leave();
      }
    },
    close: () => pool.end(),
  };
}

const createTable = `create temporary table if not exists submitted (
  position integer not null,
  cid bytea not null,
  instant bigint not null,
  sent text not null
)`;
