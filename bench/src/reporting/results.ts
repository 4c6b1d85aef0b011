import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Machine } from '../measuring/machine.ts';
import { medianOf, medianRatio } from '../measuring/statistics.ts';
import type { Row } from '../scenario.ts';

const folder = resolve(import.meta.dirname, '../../results');

/** The summary of a row: of all rounds, and its baseline. A bound holds in every round, a ratio in the median. */
export type Summary = {
  readonly median: number;
  readonly least?: number;
  readonly most?: number;
  readonly baseline?: { readonly what: string; readonly median: number };
  readonly ratio?: number;
};
/** A row whose rounds were not kept, only its summary in docs/performance.md. */
export type PrintedRow = Omit<Row, 'rounds' | 'baseline'> & { readonly printed: Summary };
export type KeptRow = Row | PrintedRow;

/** A scenario's newest result. */
export type KeptResult = {
  readonly scenario: string;
  readonly machine: Machine;
  /** How long it took; not known for older results. */
  readonly seconds?: number;
  readonly rows: readonly KeptRow[];
};

export function summaryOf(row: KeptRow): Summary {
  if ('printed' in row) return row.printed;
  const { rounds, baseline } = row;
  const found = { median: medianOf(rounds), least: Math.min(...rounds), most: Math.max(...rounds) };
  if (baseline === undefined) return found;
  const ratio = medianRatio(rounds, baseline.rounds);
  const beside = { what: baseline.what, median: medianOf(baseline.rounds) };
  // There is no ratio to a baseline of zero.
  return { ...found, baseline: beside, ...(Number.isFinite(ratio) ? { ratio: ratio as number } : {}) };
}

/** Keeps a scenario's newest result as `bench/results/<name>.json`: every round, a line a row. */
export async function writeResult({ rows, ...result }: KeptResult): Promise<void> {
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
  await writeFile(
    join(folder, `${result.scenario}.json`),
    `${JSON.stringify(result).slice(0, -1)},"rows":[\n${lines}\n]}\n`,
  );
}

/** All kept results, by name. */
export async function readResults(): Promise<KeptResult[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as KeptResult));
}

/** Which commit and machine a result is of. */
export const environmentLine = ({ machine, seconds }: Pick<KeptResult, 'machine' | 'seconds'>): string =>
  [
    `commit ${machine.commit}${machine.changed ? ' with changes' : ''}`,
    `Node ${machine.node}`,
    `${machine.cores} × ${machine.cpu}`,
    `SHA3-256 ${machine.sha3MegabytesPerSecond.toFixed(0)} MB/s`,
    machine.at,
    ...(seconds === undefined ? [] : [`${seconds} s`]),
  ].join(' · ');
