import { pipeline } from 'node:stream/promises';
import type { Client } from '@indelible/postgres';
import { type Logger, UnavailableError } from '@indelible/service-runtime';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type CopiedRows, wholeRows } from './copy-rows.ts';

/** A connection with an empty table `submitted (position, cid, instant, sent)` of its own. */
export type MatchingSession = Client & {
  /** Adds rows of `submitted` in COPY's binary format. */
  copy(rows: Buffer): Promise<void>;
  /** A query's rows in COPY's binary format, as fast as they are taken. It has no parameters: see `literalOf`. */
  read(query: string): AsyncGenerator<CopiedRows>;
};

export type MatchingSessions = {
  /**
   * Lends a session for `work`. Afterwards nothing of it is left: the table is emptied, or the connection is ended
   * when `work` failed. When `signal` aborts, the connection is ended at once, a running statement with it.
   * @throws UnavailableError when too many wait; an error of Postgres when no session comes free in time
   */
  use<Result>(work: (session: MatchingSession) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  close(): Promise<void>;
};

const maxWaiting = 32;
const slowestReaderMs = 180_000;

const sessionSettings: readonly string[] = [
  'jit=off',
  // A session whose client is gone must not go on computing.
  'client_connection_check_interval=1s',
  // What a million rows take: a hash of them (192 MB), a sort of a part, the temporary table.
  'work_mem=64MB',
  'hash_mem_multiplier=3',
  'temp_buffers=16MB',
  // Sorting both sides of a join by CIDs takes twice as long as hashing them, which the planner cannot tell.
  'enable_mergejoin=off',
  // A hint for the planner is all that the statistics of `submitted` are.
  'default_statistics_target=10',
];

/**
 * A bounded pool of sessions. An upload must never be one long transaction: the outbox relays read only below the
 * oldest running one that writes. So each copy commits by itself into a temporary table, which lives with its session.
 */
export function createMatchingSessions(options: {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  readonly maxSessions: number;
  readonly logger: Logger;
}): MatchingSessions {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxSessions,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // One statement gives a collection of the answer, and lasts as long as its reader takes; what the server has sent already is
    // read after its end. The transaction writes nothing, so nobody waits for it.
    statement_timeout: slowestReaderMs,
    idle_in_transaction_session_timeout: slowestReaderMs,
    options: [`search_path=${options.schema}`, ...sessionSettings].map((setting) => `-c ${setting}`).join(' '),
  });
  pool.on('error', (error) => options.logger.warn({ error }, 'an idle connection to Postgres broke'));
  return {
    async use(work, signal) {
      if (pool.waitingCount >= maxWaiting) throw new UnavailableError('too many verifications wait');
      const client = await pool.connect();
      const onError = (): void => {};
      client.on('error', onError);
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
          copy: (rows) => pipeline([rows], client.query(copyFrom('copy pg_temp.submitted from stdin (format binary)'))),
          read: (query) => wholeRows(client.query(copyTo(`copy (${query}) to stdout (format binary)`))),
        });
        await client.query('truncate pg_temp.submitted');
        sound = true;
        return result;
      } finally {
        signal.removeEventListener('abort', end);
        client.off('error', onError);
        client.release(!sound);
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
