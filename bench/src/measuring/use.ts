import pg from 'pg';
import { type Measured, rowOf } from '../rows.ts';
import type { Row, Unit } from '../scenario.ts';
import type { System } from '../system/start-system.ts';
import { kafkaLogBytes, readKafkaLogs } from './kafka-logs.ts';
import { readCpuSeconds, type Watched } from './process-cpu.ts';

/** Counters by name: CPU seconds of processes, and what is counted or written. */
export type Readings = ReadonlyMap<string, number>;
/** What these stamps used. */
export type Used = { readonly stamps: number; readonly used: Readings };
export type Mark = 'begin' | 'end';

/** Counters; all other readings are the CPU time of a process. */
const counted: Readonly<Record<string, Unit>> = {
  statements: 'statements',
  'WAL records': 'records',
  WAL: 'bytes',
  'disk of Postgres': 'bytes',
  Kafka: 'bytes',
  'batches in Kafka': 'batches',
  'commits of offsets': 'batches',
};

/** A connection whose statements Postgres does not count. */
export async function connectUncounted(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c pg_stat_statements.track=none' });
  await client.connect();
  return client;
}

/** Services and servers, except the registry, which is queried once per schema when a service starts. */
export const processesOf = ({ services, servers }: Pick<System, 'services' | 'servers'>): Watched[] =>
  [...Object.values(services), ...servers].filter(({ name }) => name !== 'registry');

/**
 * Reads what a system's processes, and others, have used so far. Where Postgres counts statements, also those, and
 * Kafka's batches; write-ahead log bytes are of the whole server.
 */
export async function watchUse(
  system: System,
  others: readonly Watched[] = [],
): Promise<AsyncDisposable & { read(): Promise<Readings> }> {
  const client = await connectUncounted(system.connection.databaseUrl);
  const isThere = `select current_setting('shared_preload_libraries') like '%pg_stat_statements%' as counts`;
  const countsStatements = (await client.query<{ counts: boolean }>(isThere)).rows[0]?.counts === true;
  if (countsStatements) await client.query('create extension if not exists pg_stat_statements');
  const written = `pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as "WAL"`;
  const text = countsStatements
    ? `select sum(calls) as statements, sum(wal_records) as "WAL records", ${written},
         pg_database_size(current_database()) as "disk of Postgres" from pg_stat_statements`
    : `select ${written}`;
  const logsOf = async (directory: string): Promise<Record<string, number>> => {
    if (!countsStatements) return { Kafka: await kafkaLogBytes(directory) };
    const { bytes, batches, offsetBatches } = await readKafkaLogs(directory);
    return { Kafka: bytes, 'batches in Kafka': batches, 'commits of offsets': offsetBatches };
  };
  return {
    async read() {
      const [cpu, { rows }] = await Promise.all([
        readCpuSeconds([...processesOf(system), ...others]),
        client.query<Record<string, string>>(text),
      ]);
      const logs = system.kafkaDirectory === undefined ? {} : await logsOf(system.kafkaDirectory);
      const counts = Object.entries({ ...rows[0], ...logs }).map(([name, value]) => [name, Number(value)] as const);
      return new Map([...cpu, ...counts]);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

export const grownBetween = (before: Readings, after: Readings): Readings =>
  new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));

/** Does work that marks where its measured part begins and ends. @returns the outcome, with how far each reading grew between the two */
export async function useDuring<Outcome extends { readonly stamps: number }>(
  read: () => Promise<Readings>,
  work: (onMark: (mark: Mark) => void) => Promise<Outcome>,
): Promise<Outcome & Used> {
  const readings: Partial<Record<Mark, Promise<Readings>>> = {};
  const outcome = await work((mark) => {
    readings[mark] = read();
    // Awaited and reported after the work.
    readings[mark]?.catch(() => {});
  });
  const [before, after] = [await readings.begin, await readings.end];
  if (before === undefined || after === undefined) throw new Error('the work did not mark its measured part');
  return { ...outcome, used: grownBetween(before, after) };
}

/** Cost per stamp: a row for each counter, then CPU by process, beside the baseline's process of the same name. */
export function useRows(
  rounds: readonly Used[],
  {
    end = '',
    baseline,
    atMost = {},
  }: {
    /** Ends the names. */
    readonly end?: string;
    readonly baseline?: Measured<Used>;
    readonly atMost?: Readonly<Record<string, number>>;
  } = {},
): Row[] {
  const names = [...(rounds[0]?.used.keys() ?? [])];
  const isProcess = (name: string): boolean => !(name in counted);
  const perStamp = (name: string, { used, stamps }: Used): number => (used.get(name) ?? Number.NaN) / stamps;
  const cpuOf = (round: Used, of: readonly string[]): number =>
    of.reduce((sum, name) => sum + perStamp(name, round) * 1e6, 0);
  const cpuOfAll = (round: Used): number => cpuOf(round, [...round.used.keys()].filter(isProcess));
  return [
    ...Object.entries(counted)
      .filter(([name]) => names.includes(name))
      .map(([name, unit]): Row => {
        const row = rowOf(`${name} a stamp${end}`, unit, rounds, (round) => perStamp(name, round));
        return atMost[name] === undefined ? row : { ...row, atMost: atMost[name] };
      }),
    rowOf(`CPU a stamp, all${end}`, 'µs', rounds, cpuOfAll, baseline),
    ...names.filter(isProcess).map((name) => {
      const beside = baseline?.rounds[0]?.used.has(name) === true ? baseline : undefined;
      return rowOf(`CPU a stamp, ${name}${end}`, 'µs', rounds, (round) => cpuOf(round, [name]), beside);
    }),
  ];
}
