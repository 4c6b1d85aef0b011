import type { Readings } from '../measuring/use-of-window.ts';
import type { Row, Unit } from '../scenario.ts';

/** What is counted of a stamp, and what is said of it. */
const counted = {
  statements: { what: 'statements', unit: 'statements' },
  walRecords: { what: 'WAL records', unit: 'records' },
  walBytes: { what: 'WAL', unit: 'bytes' },
  diskBytes: { what: 'disk of Postgres', unit: 'bytes' },
  bytes: { what: 'Kafka', unit: 'bytes' },
  batches: { what: 'batches in Kafka', unit: 'batches' },
  offsetBatches: { what: 'commits of offsets', unit: 'batches' },
} as const satisfies Record<string, { readonly what: string; readonly unit: Unit }>;

type Count = keyof typeof counted;

/** A load: what was used in each round, and how many stamps were confirmed in it; and what of a stamp's counts is held. */
export type CostLevel = {
  readonly name: string;
  readonly atMost: Partial<Record<Count, number>>;
  readonly rounds: { readonly stamps: number; readonly used: Readings }[];
};

const isCount = (name: string): name is Count => name in counted;

/** A row for each count, then CPU by process. */
export function stampCostRows({ name, atMost, rounds }: CostLevel): Row[] {
  const names = [...(rounds[0]?.used.keys() ?? [])];
  const perStamp = (of: (used: Readings) => number): number[] => rounds.map(({ used, stamps }) => of(used) / stamps);
  const readingOf = (reading: string) => (used: Readings) => used.get(reading) ?? Number.NaN;
  const processes = names.filter((reading) => !isCount(reading));
  const cpu = (what: string, of: (used: Readings) => number): Row => ({
    ...{ what: `CPU a stamp, ${what}, ${name}`, unit: 'µs', rounds: perStamp((used) => of(used) * 1e6) },
  });
  return [
    ...names.filter(isCount).map((count): Row => {
      const bound = atMost[count];
      return {
        ...{ what: `${counted[count].what} a stamp, ${name}`, unit: counted[count].unit },
        rounds: perStamp(readingOf(count)),
        ...(bound === undefined ? {} : { reach: { atMost: bound } }),
      };
    }),
    cpu('all', (used) => processes.reduce((sum, process) => sum + readingOf(process)(used), 0)),
    ...processes.map((process) => cpu(process, readingOf(process))),
  ];
}
