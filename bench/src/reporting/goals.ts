import type { Unit } from '../scenario.ts';
import { type KeptRow, summaryOf } from './results.ts';

/** A goal: a ratio to the baseline, held in the median, or a bound of the value itself, held in every round. */
export type Goal = {
  readonly what: string;
  readonly scenario: string;
  /** The row that shows it; of several that match, the one with the highest value. */
  readonly row: string | RegExp;
  /** How the baseline's name begins, where a row has several. */
  readonly beside?: string;
  readonly is: 'ratio at least' | 'ratio at most' | 'at most';
  /** Of a value in every round or in the median. */
  readonly unit?: Unit;
  readonly reach: number;
  readonly moonshot: number;
  /** The heading in docs/performance.md of the section that says what bounds it. */
  readonly bounds: string;
};

const inMemory = 'batching in memory';
const times = { scenario: 'stamps-open-loop', is: 'ratio at most', bounds: 'Open loop' } as const;
const bytes = { is: 'at most', unit: 'bytes', bounds: 'What a stamp writes' } as const;
const cpu = { is: 'at most', unit: 'µs', bounds: 'CPU of a stamp' } as const;
const uploads = {
  scenario: 'memory-upload',
  is: 'ratio at least',
  reach: 0.35,
  moonshot: 0.6,
  bounds: 'Uploads',
} as const;
const batches = { scenario: 'stamps-batch', is: 'ratio at least', reach: 1.5, moonshot: 2.5 } as const;
const collections = { scenario: 'verify-matching', is: 'ratio at most', reach: 2, moonshot: 1.5 } as const;
const tenMillion = { scenario: 'growth-stamps', bounds: 'Ten million stamps' } as const;

export const goals: readonly Goal[] = [
  {
    ...{ what: 'closed loop', scenario: 'stamps-closed-loop', row: 'confirmed, 4,096 callers' },
    ...{ beside: inMemory, is: 'ratio at least', reach: 0.65, moonshot: 0.8, bounds: 'Closed loop' },
  },
  {
    ...{ what: 'closed loop', scenario: 'stamps-closed-loop', row: 'confirmed, 4,096 callers' },
    ...{ beside: 'ethers', is: 'ratio at least', reach: 5, moonshot: 10, bounds: 'Closed loop' },
  },
  ...['1 connection, 100,000', '4 connections, 20,000'].map(
    (of): Goal => ({ ...batches, what: 'batch input', row: `confirmed, ${of} lines a batch`, bounds: 'Batch input' }),
  ),
  {
    ...{ what: 'accepting', scenario: 'accept', row: 'accepted, 512 connections, no confirming meanwhile' },
    ...{ beside: 'express and kafkajs', is: 'ratio at least', reach: 0.8, moonshot: 1.2, bounds: 'Accept' },
  },
  {
    ...{
      what: 'accepting: a 202 at 1,000 a second, p99',
      scenario: 'accept',
      row: /^a 202 at set times.*p99$/,
      is: 'at most',
      unit: 'ms',
    },
    ...{ reach: 40, moonshot: 20, bounds: 'Accept' },
  },
  { ...times, what: '1,000 a second', row: 'before submission, p50', reach: 1.2, moonshot: 1 },
  { ...times, what: '1,000 a second', row: 'before submission, p99', reach: 0.6, moonshot: 0.4 },
  { ...times, what: '1,000 a second', row: 'after the head, p50', reach: 2, moonshot: 1.3 },
  { ...times, what: '1,000 a second', row: 'after the head, p99', reach: 1.5, moonshot: 1.1 },
  ...['all matched', '90 % matched'].map(
    (of): Goal => ({
      ...{ ...collections, what: '`POST /collections/verify`, 1 M against 2 M', row: `${of}, whole answer` },
      bounds: 'Comparing collections',
    }),
  ),
  ...['stamps-closed-loop', 'stamps-batch'].flatMap((scenario): Goal[] => [
    { ...bytes, scenario, what: 'bytes written', row: 'WAL a stamp', reach: 2_500, moonshot: 1_500 },
    { ...bytes, scenario, what: 'bytes written', row: 'Kafka a stamp', reach: 1_200, moonshot: 800 },
  ]),
  { ...cpu, scenario: 'stamps-closed-loop', what: 'closed loop', row: 'CPU a stamp, all', reach: 650, moonshot: 500 },
  { ...cpu, scenario: 'stamps-batch', what: 'batch input', row: 'CPU a stamp, all', reach: 300, moonshot: 220 },
  {
    ...{ ...tenMillion, what: 'ten million stamps recorded, throughput kept', is: 'ratio at least' },
    ...{ row: '1,024 callers, 10,000,000 stamps recorded before', reach: 0.98, moonshot: 1 },
  },
  {
    ...{ ...tenMillion, what: 'ten million stamps recorded', is: 'at most', unit: 'ms' },
    ...{ row: '1,024 callers, p99, 10,000,000 stamps recorded before', reach: 1_200, moonshot: 1_100 },
  },
  ...['1 caller, p99', '1 caller, half unknown, p99'].map(
    (row): Goal => ({
      ...{ what: '`POST /stamps/verify`, 1,000 CIDs among 2 M', scenario: 'verify-lookup', row },
      ...{ is: 'ratio at most', reach: 1.5, moonshot: 1, bounds: 'Looking stamps up' },
    }),
  ),
  { ...uploads, what: '1 GiB upload', row: 'POST /stamps, speed' },
  { ...uploads, what: '1 GiB upload', row: 'upload later, speed' },
  {
    ...{ what: '1 GiB upload, memory', scenario: 'memory-upload', row: / grows$/, is: 'at most', unit: 'MB' },
    ...{ reach: 64, moonshot: 48, bounds: 'Uploads' },
  },
  {
    ...{ what: '`POST /collections/verify`, memory', scenario: 'verify-matching', row: / grows$/, is: 'at most' },
    ...{ unit: 'MB', reach: 64, moonshot: 32, bounds: 'Comparing collections' },
  },
  {
    ...{ what: 'gas', scenario: 'gas', row: '500 objects in 10 sets of one user, a stamp', is: 'ratio at most' },
    ...{ reach: 0.11, moonshot: 0.1, bounds: 'Gas' },
  },
  {
    ...{ what: 'gas', scenario: 'gas', row: '500 objects of as many users, a set each, a stamp', is: 'ratio at most' },
    ...{ reach: 0.41, moonshot: 0.36, bounds: 'Gas' },
  },
  ...['1000', '500'].map(
    (of): Goal => ({
      ...{ what: 'stamping’s CPU', scenario: 'stamping-cpu', row: `as the chain’s client, a stamp of ${of} a batch` },
      ...{ is: 'ratio at most', reach: 0.11, moonshot: 0.033, bounds: 'CPU of a stamp' },
    }),
  ),
  {
    ...{ what: 'chain-indexer', scenario: 'indexer-catch-up', row: 'logs stored', is: 'ratio at least' },
    ...{ reach: 0.3, moonshot: 0.6, bounds: 'Indexer' },
  },
];

/** The five that users care about: they are in the README. */
export const highlights: readonly (Pick<Goal, 'what' | 'scenario' | 'row'> & { readonly beside: string })[] = [
  {
    ...{ what: 'confirmed stamps, 4,096 callers who each wait for theirs', scenario: 'stamps-closed-loop' },
    ...{ row: 'confirmed, 4,096 callers', beside: inMemory },
  },
  {
    ...{ what: 'confirmed stamps through the batch input, 4 connections', scenario: 'stamps-batch' },
    ...{ row: 'confirmed, 4 connections, 20,000 lines a batch', beside: 'ethers' },
  },
  {
    ...{ what: '`POST /stamps/verify` of 1,000 CIDs among 2 M, p99', scenario: 'verify-lookup' },
    ...{ row: '1 caller, p99', beside: 'SQL' },
  },
  {
    ...{ what: '`POST /collections/verify` of 1 M rows against 2 M, whole answer', scenario: 'verify-matching' },
    ...{ row: 'all matched, whole answer', beside: 'binary COPY' },
  },
  {
    ...{ what: '`POST /stamps` with a file of 1 GiB', scenario: 'memory-upload' },
    ...{ row: 'POST /stamps, speed', beside: 'SHA3-256' },
  },
];

/** Whether a row shows a goal. */
export const shows = ({ row: name, beside = '' }: Pick<Goal, 'row' | 'beside'>, row: KeptRow): boolean =>
  (typeof name === 'string' ? row.what === name : name.test(row.what)) &&
  (summaryOf(row).baseline?.what ?? '').startsWith(beside);

export const goalsOf = (scenario: string, row: KeptRow): readonly Goal[] =>
  goals.filter((goal) => goal.scenario === scenario && shows(goal, row));

export const reachText = ({ is, unit }: Pick<Goal, 'is' | 'unit'>, value: number): string =>
  is === 'at most' ? `≤ ${value.toLocaleString('en')} ${unit}` : `${is === 'ratio at least' ? '≥' : '≤'} ${value}`;

export function verdictOf({ is, reach }: Pick<Goal, 'is' | 'reach'>, row: KeptRow): 'reached' | 'missed' {
  const { median, most = median, ratio = Number.NaN } = summaryOf(row);
  const isReached = is === 'at most' ? most <= reach : is === 'ratio at least' ? ratio >= reach : ratio <= reach;
  return isReached ? 'reached' : 'missed';
}
