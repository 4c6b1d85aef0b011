import { connectUncounted } from '../system/connect-uncounted.ts';

/** What Postgres has done so far, and what it keeps; statements only where it counts them. */
export type DatabaseWork = {
  readonly walBytes: number;
  readonly walRecords: number | undefined;
  readonly statements: number | undefined;
  readonly diskBytes: number;
};

/** Watches one database of a server; what is written to the log counts for the whole server. */
export async function watchDatabaseWork(
  databaseUrl: string,
): Promise<{ read(): Promise<DatabaseWork>; close(): Promise<void> }> {
  const client = await connectUncounted(databaseUrl);
  const { rows } = await client.query<{ counts: boolean }>(
    `select current_setting('shared_preload_libraries') like '%pg_stat_statements%' as counts`,
  );
  const counts = rows[0]?.counts === true;
  if (counts) await client.query('create extension if not exists pg_stat_statements');
  const one = async <Column extends string>(text: string): Promise<Record<Column, number>> => {
    const answer = await client.query<Record<Column, string>>(text);
    const columns = Object.entries<string>(answer.rows[0] ?? {}).map(([name, value]) => [name, Number(value)]);
    return Object.fromEntries(columns) as Record<Column, number>;
  };
  return {
    async read() {
      const { wal, disk } = await one<'wal' | 'disk'>(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal, pg_database_size(current_database()) as disk`,
      );
      const { calls, records } = counts
        ? await one<'calls' | 'records'>(
            'select sum(calls) as calls, sum(wal_records) as records from pg_stat_statements',
          )
        : { calls: undefined, records: undefined };
      return { walBytes: wal, diskBytes: disk, statements: calls, walRecords: records };
    },
    close: () => client.end(),
  };
}
