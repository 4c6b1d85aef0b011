import type { Unit } from '../scenario.ts';
import { type KeptRow, summaryOf } from './results.ts';

/** A goal: a ratio to the baseline, held in the median, or a bound of the value itself, held in every round. */
export type Goal = {
  readonly what: string;
  readonly scenario: string;
  /** The row that shows it; of several that match, the one with the highest value. */
  readonly row: string | RegExp;
  /** Prefix of the baseline's name, where a row has several. */
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

/** The three forms of a goal: target and moonshot. */
const atLeast = (reach: number, moonshot: number) => ({ is: 'ratio at least', reach, moonshot }) as const;
const atMost = (reach: number, moonshot: number) => ({ is: 'ratio at most', reach, moonshot }) as const;
const bound = (unit: Unit, reach: number, moonshot: number) => ({ is: 'at most', unit, reach, moonshot }) as const;

type Wanted = Pick<Goal, 'is' | 'unit' | 'reach' | 'moonshot' | 'beside'>;
/** Goals whose bounds one section explains: what, which row, and the target. */
const goalsFor = (
  bounds: string,
  scenario: string,
  rows: readonly (readonly [what: string, row: string | RegExp, wanted: Wanted])[],
): Goal[] => rows.map(([what, row, wanted]) => ({ what, scenario, row, ...wanted, bounds }));

const verify = '`POST /collections/verify`';
const lookUp = '`POST /stamps/verify`, 1,000 CIDs among 2 M';

export const goals: readonly Goal[] = [
  ...goalsFor('Closed loop', 'stamps-closed-loop', [
    ['closed loop', 'confirmed, 4,096 callers', { ...atLeast(0.65, 0.8), beside: inMemory }],
    ['closed loop', 'confirmed, 4,096 callers', { ...atLeast(5, 10), beside: 'ethers' }],
  ]),
  ...goalsFor('Batch input', 'stamps-batch', [
    ['batch input', 'confirmed, 1 connection, 100,000 lines a batch', atLeast(1.5, 2.5)],
    ['batch input', 'confirmed, 4 connections, 20,000 lines a batch', atLeast(1.5, 2.5)],
  ]),
  ...goalsFor('Accept', 'accept', [
    [
      'accepting',
      'accepted, 512 connections, no confirming meanwhile',
      { ...atLeast(0.8, 1.2), beside: 'express and kafkajs' },
    ],
    ['accepting: a 202 at 1,000 a second, p99', /^a 202 at set times.*p99$/, bound('ms', 40, 20)],
  ]),
  ...goalsFor('Open loop', 'stamps-open-loop', [
    ['1,000 a second', 'before submission, p50', atMost(1.2, 1)],
    ['1,000 a second', 'before submission, p99', atMost(0.6, 0.4)],
    ['1,000 a second', 'after the head, p50', atMost(2, 1.3)],
    ['1,000 a second', 'after the head, p99', atMost(1.5, 1.1)],
  ]),
  ...goalsFor('Comparing collections', 'verify-matching', [
    [`${verify}, 1 M against 2 M`, 'all matched, whole answer', atMost(2, 1.5)],
    [`${verify}, 1 M against 2 M`, '90 % matched, whole answer', atMost(2, 1.5)],
  ]),
  ...['stamps-closed-loop', 'stamps-batch'].flatMap((scenario) =>
    goalsFor('What a stamp writes', scenario, [
      ['bytes written', 'WAL a stamp', bound('bytes', 2_500, 1_500)],
      ['bytes written', 'Kafka a stamp', bound('bytes', 1_200, 800)],
    ]),
  ),
  ...goalsFor('CPU of a stamp', 'stamps-closed-loop', [['closed loop', 'CPU a stamp, all', bound('µs', 650, 500)]]),
  ...goalsFor('CPU of a stamp', 'stamps-batch', [['batch input', 'CPU a stamp, all', bound('µs', 300, 220)]]),
  ...goalsFor('Ten million stamps', 'growth-stamps', [
    [
      'ten million stamps recorded, throughput kept',
      '1,024 callers, 10,000,000 stamps recorded before',
      atLeast(0.98, 1),
    ],
    ['ten million stamps recorded', '1,024 callers, p99, 10,000,000 stamps recorded before', bound('ms', 1_200, 1_100)],
  ]),
  ...goalsFor('Looking stamps up', 'verify-lookup', [
    [lookUp, '1 caller, p99', atMost(1.5, 1)],
    [lookUp, '1 caller, half unknown, p99', atMost(1.5, 1)],
  ]),
  ...goalsFor('Uploads', 'memory-upload', [
    ['1 GiB upload', 'POST /stamps, speed', atLeast(0.35, 0.6)],
    ['1 GiB upload', 'upload later, speed', atLeast(0.35, 0.6)],
    ['1 GiB upload, memory', / grows$/, bound('MB', 64, 48)],
  ]),
  ...goalsFor('Comparing collections', 'verify-matching', [[`${verify}, memory`, / grows$/, bound('MB', 64, 32)]]),
  ...goalsFor('Gas', 'gas', [
    ['gas', '500 objects in 10 sets of one user, a stamp', atMost(0.11, 0.1)],
    ['gas', '500 objects of as many users, a set each, a stamp', atMost(0.41, 0.36)],
  ]),
  ...goalsFor('CPU of a stamp', 'stamping-cpu', [
    ['stamping’s CPU', 'as the chain’s client, a stamp of 1000 a batch', atMost(0.11, 0.033)],
    ['stamping’s CPU', 'as the chain’s client, a stamp of 500 a batch', atMost(0.11, 0.033)],
  ]),
  ...goalsFor('Indexer', 'indexer-catch-up', [['chain-indexer', 'logs stored', atLeast(0.3, 0.6)]]),
];

/** The five that users care about, shown in the README. */
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
