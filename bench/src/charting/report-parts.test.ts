import { describe, expect, it } from '@jest/globals';
import type { KeptResult } from '../reporting/result-file.ts';
import type { Row } from '../scenario.ts';
import { ceilingsTable } from './chain-ceilings.ts';
import { chartsOf } from './charts-of.ts';
import { goals } from './goals.ts';
import { costTable, fillIn, goalsTable, restTable, summaryTable } from './report-parts.ts';

const machine = {
  ...{ commit: 'abc', changed: false, node: '24', cpu: 'any', cores: 2 },
  ...{ sha3MegabytesPerSecond: 300, at: '2026-11-21T00:00:00Z' },
};
const resultOf = (scenario: string, rows: readonly Row[]): KeptResult => ({ scenario, machine, rows });

describe('the generated parts of a document', () => {
  it('take the place of what was there, and leave the rest', () => {
    const document =
      'before\n<!-- a: generated -->\nold\n<!-- a: end -->\nafter\n<!-- b: generated -->\n<!-- b: end -->\n';
    const filled = fillIn(document, { a: 'new', b: 'other' });
    expect(filled).toBe(
      'before\n<!-- a: generated -->\n\nnew\n\n<!-- a: end -->\nafter\n<!-- b: generated -->\n\nother\n\n<!-- b: end -->\n',
    );
    expect(fillIn(filled, { a: 'new', b: 'other' })).toBe(filled);
  });

  it('are refused by a document without their place', () => {
    expect(() => fillIn('nothing', { a: 'new' })).toThrow('no place for a');
  });
});

describe('the table of what processes cost at rest', () => {
  it('has a line a process, the baseline among them, and a column for each kind of figure', () => {
    const bare = { what: 'bare express', rounds: [0.5] };
    const rows: Row[] = [
      { what: 'gateway, CPU in a second at rest', unit: 'ms', rounds: [4, 6], baseline: bare },
      { what: 'gateway, until it is ready', unit: 's', rounds: [1.25] },
      { what: 'kafka, CPU in a second at rest', unit: 'ms', rounds: [12.4], baseline: bare },
    ];
    expect(restTable([resultOf('at-rest', rows)]).split('\n')).toEqual([
      '| process | CPU in a second at rest | until it is ready |',
      '|---|---|---|',
      '| gateway | 5.0 ms | 1.3 s |',
      '| bare express | 0.5 ms |  |',
      '| kafka | 12 ms |  |',
    ]);
    expect(restTable([])).toBe('not measured');
  });
});

describe('the table of what is to be reached', () => {
  it('has a line for each goal, measured or not', () => {
    const lines = goalsTable(goals, []).split('\n');
    expect(lines).toHaveLength(goals.length + 2);
    for (const line of lines.slice(2)) expect(line).toMatch(/\| not measured \|$/);
  });

  it('tells median, ratio and verdict of each row that shows the goal', () => {
    const baseline = { what: 'ethers, pipelined batches of 1,000', rounds: [1_000, 2_000] };
    const row: Row = {
      what: 'confirmed',
      unit: 'stamps/s',
      rounds: [2_000, 4_000],
      baseline,
      reach: { ratioAtLeast: 1.5 },
    };
    const other: Row = { what: 'gas per stamp', unit: 'gas', rounds: [2_000] };
    const table = goalsTable(goals, [resultOf('stamps-batch', [row, other])]);
    expect(table).toContain(
      '| confirmed stamps through the batch input: confirmed | `stamps-batch` | 3000 stamps/s (2000–4000) | ' +
        'ethers, pipelined batches of 1,000: 1500 stamps/s | 2.00 | ≥ 1.5 | 4 | reached |',
    );
    expect(table).not.toContain('gas per stamp: gas per stamp');
    expect(
      summaryTable(goals, [resultOf('stamps-batch', [row, other])])
        .split('\n')
        .slice(2),
    ).toEqual([
      '| confirmed stamps through the batch input: confirmed | 3000 stamps/s | ethers, pipelined batches of 1,000: 1500 stamps/s | 2.00 | ≥ 1.5 | reached |',
    ]);
  });

  it('shows of the processes that grow the one that grows most', () => {
    const grows = (what: string, rounds: readonly number[]): Row => ({
      what,
      unit: 'MB',
      rounds,
      reach: { atMost: 64 },
    });
    const table = goalsTable(goals, [
      resultOf('memory-upload', [grows('a', [9]), grows('b', [1, 70]), grows('c', [20])]),
    ]);
    expect(table).toContain('1 GiB upload, growth: b |');
    expect(table).toMatch(/≤ 64 MB \| 48 MB \| over \|/);
    expect(table).not.toContain('growth: a');
  });
});

it('costs are those of 1,000 stamps', () => {
  const rows: Row[] = [
    { what: 'CPU per 1,000 stamps, gateway', unit: 'CPU-s', rounds: [0.5] },
    { what: 'WAL per stamp', unit: 'bytes', rounds: [2_000.4] },
  ];
  const table = costTable([resultOf('stamps-batch', rows)]);
  expect(table).toContain('| CPU, gateway |  | 0.500 CPU-s |');
  expect(table).toContain('| WAL |  | 2,000,400 bytes |');
});

it('the ceiling of a chain is its gas a second by the gas of a stamp', () => {
  const table = ceilingsTable({ together: 3_000, alone: 30_000 });
  expect(table).toContain('| Ethereum | 12 s | 60,000,000 a block | 1,666 | 166 |');
  expect(table).toContain('| Arbitrum One | 0.25 s | 7,000,000 a second | 2,333 | 233 |');
});

it('a chart is of one unit and of one thing that was varied, its lines of all the points of a name', () => {
  const point = (line: string, by: string, x: number, unit: Row['unit']): Row => ({
    ...{ what: line, unit, rounds: [x, 3 * x, 2 * x] },
    at: { line, by, x },
  });
  const rows = [
    ...[point('a', 'lanes', 1, 'stamps/s'), point('a', 'lanes', 2, 'stamps/s'), point('b', 'lanes', 1, 'stamps/s')],
    ...[point('a', 'lanes', 1, 'gas'), point('a', 'stamps at most', 1, 'gas')],
    { what: 'no point', unit: 'gas', rounds: [1] } as const,
  ];
  const charts = chartsOf([resultOf('growth', rows)]);
  expect(charts.map(({ fileName }) => fileName)).toEqual([
    'growth-lanes-stamps-s.svg',
    'growth-lanes-gas.svg',
    'growth-stamps-at-most-gas.svg',
  ]);
  expect(charts[0]?.chart.lines).toEqual([
    {
      name: 'a',
      points: [
        { x: 1, y: 2, least: 1, most: 3 },
        { x: 2, y: 4, least: 2, most: 6 },
      ],
    },
    { name: 'b', points: [{ x: 1, y: 2, least: 1, most: 3 }] },
  ]);
});
