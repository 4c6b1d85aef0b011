import { createSessionPool, sessionAddress } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import pg from 'pg';

/** @throws UnavailableError for every fault */
export type Query = <Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Read-only access to all schemas. */
export type Reader = {
  readonly query: Query;
  /** All that `work` reads is of one moment. It must not pause: the server ends a session that is idle for 10 s. */
  snapshot<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

const int8 = pg.types.builtins.INT8;

/**
 * Read-only sessions with statement and lock time limits: they do not disturb a live system. int8 comes as a number.
 */
export function createReader(options: { readonly url: string; readonly statementTimeoutMs?: number }): Reader {
  const pool = createSessionPool({
    ...sessionAddress(options.url),
    application_name: 'indelible doctor',
    max: 2,
    connectionTimeoutMillis: 5_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    lock_timeout: 5_000,
    idle_in_transaction_session_timeout: 10_000,
    options: '-c default_transaction_read_only=on -c search_path=pg_catalog -c jit=off',
    types: {
      getTypeParser: ((oid: number, format?: 'text') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  });
  // The next query reports a connection that broke while idle.
  pool.on('error', () => {});
  const unavailable = (cause: unknown): UnavailableError =>
    new UnavailableError(`Postgres (DATABASE_URL): ${describe(cause as Partial<pg.DatabaseError>)}`, { cause });
  const queryOf =
    (session: pg.Pool | pg.PoolClient): Query =>
    async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
      try {
        return (await session.query<Row>(text, [...values])).rows;
      } catch (cause) {
        throw unavailable(cause);
      }
    };
  return {
    query: queryOf(pool),
    async snapshot(work) {
      const session = await pool.connect().catch((cause: unknown) => {
        throw unavailable(cause);
      });
      try {
        const query = queryOf(session);
        await query('begin isolation level repeatable read');
        const result = await work(query);
        await query('rollback');
        session.release();
        return result;
      } catch (error) {
        // Its state is unknown: never reuse it.
        session.release(true);
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

/** A missing table, column or schema. */
const schemaFaults: ReadonlySet<string> = new Set(['42P01', '42703', '3F000']);

function describe({ code, message = '' }: Partial<pg.DatabaseError>): string {
  const text = message.replaceAll(/\s*\n\s*/g, ' ').trim() || (code ?? 'it does not answer');
  return code !== undefined && schemaFaults.has(code)
    ? `its schemas are not those of this version (${text}): run the migrations`
    : text;
}
