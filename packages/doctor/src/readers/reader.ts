import { sessionAddress } from '@indelible/postgres';
import pg from 'pg';
import { AwayError } from '../away-error.ts';

/** Reads all schemas, and can do nothing else. */
export type Reader = {
  /** @throws AwayError for whatever fault: nothing can be said of what was not read */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

const int8 = pg.types.builtins.INT8;

/**
 * Sessions that the server keeps from writing, whose statements end by themselves and wait for no lock for long: a live
 * system does not feel them. int8 comes as a number.
 */
export function createReader(options: { readonly url: string; readonly statementTimeoutMs?: number }): Reader {
  const pool = new pg.Pool({
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
  // A connection that breaks while idle is told by the next query.
  pool.on('error', () => {});
  return {
    async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      try {
        return (await pool.query<Row>(text, [...values])).rows;
      } catch (cause) {
        throw new AwayError(`Postgres (DATABASE_URL): ${describe(cause as Partial<pg.DatabaseError>)}`, { cause });
      }
    },
    close: () => pool.end(),
  };
}

/** A table, a column, or a schema that is not there. */
const schemaFaults: ReadonlySet<string> = new Set(['42P01', '42703', '3F000']);

function describe({ code, message = '' }: Partial<pg.DatabaseError>): string {
  const text = message.replaceAll(/\s*\n\s*/g, ' ').trim() || (code ?? 'it does not answer');
  return code !== undefined && schemaFaults.has(code)
    ? `its schemas are not those of this version (${text}): run the migrations`
    : text;
}
