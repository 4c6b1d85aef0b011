import pg from 'pg';
import type { Row, Unit } from '../scenario.ts';
import type { System } from '../system/start-system.ts';
import { kafkaLogBytes, readKafkaLogs } from './kafka-logs.ts';
import { readCpuSeconds } from './process-cpu.ts';
import type { Watched } from './process-memory.ts';

/** Readings that only grow, by name: CPU seconds of processes, and what is counted or written. */
export type Readings = ReadonlyMap<string, number>;
/** What these stamps used. */
export type Used = { readonly stamps: number; readonly used: Readings };
export type Mark = 'begin' | 'end';

/** What is counted; everything else that is read is the CPU time of a process. */
const counted: Readonly<Record<string, Unit>> = {
  statements: 'statements',
  'WAL records': 'records',
  WAL: 'bytes',
  'disk of Postgres': 'bytes',
  Kafka: 'bytes',
  'batches in Kafka': 'batches',
  'commits of offsets': 'batches',
};

/** A connection whose own statements do not count where Postgres counts them. */
export async function connectUncounted(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c pg_stat_statements.track=none' });
  await client.connect();
  return client;
}

/** Services and servers, except the registry, which is queried once per schema when a service starts. */
export const processesOf = ({ services, servers }: Pick<System, 'services' | 'servers'>): Watched[] => [
  ...Object.values(services),
  ...servers.filter(({ name }) => name !== 'registry').map(({ name, pid }) => ({ name, pid: () => pid })),
];

/**
 * Reads what a system's processes, and others, have used so far. Where Postgres counts statements, those too, and Kafka's logs batch by
 * batch; what is written to the write-ahead log is of the whole server.
 */
export async function watchUse(
  system: System,
  others: readonly Watched[] = [],
): Promise<{ read(): Promise<Readings>; stop(): Promise<void> }> {
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
    stop: () => client.end(),
  };
}

export const grownBetween = (before: Readings, after: Readings): Readings =>
  new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));

/** Does work that marks where its measured part begins and ends. @returns how far each reading grew between the two, with the outcome */
export async function useDuring<Outcome extends { readonly stamps: number }>(
  read: () => Promise<Readings>,
  work: (onMark: (mark: Mark) => void) => Promise<Outcome>,
): Promise<{ readonly outcome: Outcome; readonly used: Used }> {
  const readings: Partial<Record<Mark, Promise<Readings>>> = {};
  const outcome = await work((mark) => {
    readings[mark] = read();
    // Awaited, and reported, when the work is done.
    readings[mark]?.catch(() => {});
  });
  const [before, after] = [await readings.begin, await readings.end];
  if (before === undefined || after === undefined) throw new Error('the work did not mark its measured part');
  return { outcome, used: { stamps: outcome.stamps, used: grownBetween(before, after) } };
}

/** What a stamp costs: a row for each count, then CPU by process, with that of the baseline's processes of the same names. */
export function useRows(
  rounds: readonly Used[],
  {
    end = '',
    baseline,
    atMost = {},
  }: {
    /** Ends the names. */
    readonly end?: string;
    readonly baseline?: { readonly what: string; readonly rounds: readonly Used[] };
    readonly atMost?: Readonly<Record<string, number>>;
  } = {},
): Row[] {
  const names = [...(rounds[0]?.used.keys() ?? [])];
  const isCount = (name: string): boolean => name in counted;
  const perStamp = (of: readonly Used[], name: string, times: number): number[] =>
    of.map(({ used, stamps }) => ((used.get(name) ?? Number.NaN) * times) / stamps);
  const all = (of: readonly Used[]): number[] =>
    of.map(({ used, stamps }) => {
      const seconds = [...used].reduce((sum, [name, value]) => (isCount(name) ? sum : sum + value), 0);
      return (seconds * 1e6) / stamps;
    });
  const beside = (of: (rounds: readonly Used[]) => number[]) =>
    baseline === undefined ? {} : { baseline: { what: baseline.what, rounds: of(baseline.rounds) } };
  return [
    ...names.filter(isCount).map((name): Row => {
      const bound = atMost[name];
      return {
        ...{ what: `${name} a stamp${end}`, unit: counted[name] as Unit, rounds: perStamp(rounds, name, 1) },
        ...(bound === undefined ? {} : { atMost: bound }),
      };
    }),
    { what: `CPU a stamp, all${end}`, unit: 'µs', rounds: all(rounds), ...beside(all) },
    ...names
      .filter((name) => !isCount(name))
      .map((name): Row => {
        const isShared = baseline?.rounds[0]?.used.has(name) === true;
        return {
          ...{ what: `CPU a stamp, ${name}${end}`, unit: 'µs', rounds: perStamp(rounds, name, 1e6) },
          ...(isShared ? beside((of) => perStamp(of, name, 1e6)) : {}),
        };
      }),
  ];
}
