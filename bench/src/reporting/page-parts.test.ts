import { describe, expect, it } from '@jest/globals';
import type { Row } from '../scenario.ts';
import { goals, highlights } from './goals.ts';
import { costTable, environments, fillIn, goalsTable, growthTables, restTable, summaryTable } from './page-parts.ts';
import type { KeptResult, KeptRow } from './results.ts';

const machine = {
  ...{ commit: 'abc', changed: false, node: '24', cpu: 'cpu', cores: 2, sha3MegabytesPerSecond: 400 },
  at: '2026-01-01T00:00:00.000Z',
};
const resultOf = (scenario: string, rows: readonly KeptRow[]): KeptResult => ({ scenario, machine, rows });

it('generated parts take the place of what was there, leave the rest, and need their place', () => {
  const document =
    'before\n<!-- a: generated -->\nold\n<!-- a: end -->\nafter\n<!-- b: generated -->\n<!-- b: end -->\n';
  const filled = fillIn(document, { a: 'new', b: 'other' });
  expect(filled).toBe(
    'before\n<!-- a: generated -->\n\nnew\n\n<!-- a: end -->\nafter\n<!-- b: generated -->\n\nother\n\n<!-- b: end -->\n',
  );
  expect(fillIn(filled, { a: 'new', b: 'other' })).toBe(filled);
  expect(() => fillIn('nothing', { a: 'new' })).toThrow('no place for a');
});

describe('the table of what is to be reached', () => {
  const baseline = { what: 'ethers, pipelined batches of 1,000', rounds: [1_000, 2_000] };
  const row: Row = {
    ...{ what: 'confirmed, 4 connections, 20,000 lines a batch', unit: 'stamps/s', rounds: [2_000, 4_000] },
    baseline,
  };
  const lineOf = (result: KeptResult, start: string): string | undefined =>
    goalsTable(goals, [result])
      .split('\n')
      .find((line) => line.startsWith(start));

  it('has a line for each goal, measured or not', () => {
    const lines = goalsTable(goals, []).split('\n');
    expect(lines).toHaveLength(goals.length + 2);
    for (const line of lines.slice(2)) expect(line).toMatch(/\| not measured \|$/);
  });

  it('holds a ratio in the median of the rounds, and leads from what is missed to what bounds it', () => {
    expect(lineOf(resultOf('stamps-batch', [row]), '| batch input: confirmed, 4')).toBe(
      '| batch input: confirmed, 4 connections, 20,000 lines a batch | `stamps-batch` | 3000 stamps/s (2000–4000) | ' +
        'ethers, pipelined batches of 1,000: 1500 stamps/s | 2.00 | ≥ 1.5 | ≥ 2.5 | reached |',
    );
    const slower = { ...row, rounds: [1_000, 2_000] };
    expect(lineOf(resultOf('stamps-batch', [slower]), '| batch input: confirmed, 4')).toMatch(
      /\| 1\.00 \| ≥ 1\.5 \| ≥ 2\.5 \| \[missed\]\(#batch-input\) \|$/,
    );
  });

  it('holds a bound in every round, of the process that grows most', () => {
    const grows = (what: string, rounds: readonly number[]): Row => ({ what: `${what} grows`, unit: 'MB', rounds });
    const rows = [grows('a', [9]), grows('b', [1, 70]), grows('c', [20])];
    expect(lineOf(resultOf('memory-upload', rows), '| 1 GiB upload, memory')).toMatch(
      /^\| 1 GiB upload, memory: b grows \|.*\| ≤ 64 MB \| ≤ 48 MB \| \[missed\]/,
    );
  });

  it('shows a row whose rounds were not kept as it was printed', () => {
    const printed = { median: 3_000, least: 2_000, most: 4_000, ratio: 2, baseline: { what: 'ethers', median: 1_500 } };
    const { what, unit } = row;
    const result = resultOf('stamps-batch', [{ what, unit, printed }]);
    expect(lineOf(result, '| batch input: confirmed, 4')).toContain(
      '3000 stamps/s (2000–4000) | ethers: 1500 stamps/s',
    );
    expect(environments([result])).toMatch(/^- `stamps-batch`: commit abc · .* · rounds not kept$/);
  });
});

it('the summary has the five rows that a user cares about beside their baselines, and fails when one is missing', () => {
  const results = highlights.map(({ scenario, row, beside }) =>
    resultOf(scenario, [
      { what: String(row), unit: 'ms', rounds: [1], baseline: { what: 'another baseline', rounds: [1] } },
      { what: String(row), unit: 'ms', rounds: [2, 4], baseline: { what: beside, rounds: [4, 8] } },
    ]),
  );
  const lines = summaryTable(highlights, results).split('\n').slice(2);
  expect(lines).toHaveLength(5);
  expect(lines[0]).toBe(
    '| confirmed stamps, 4,096 callers who each wait for theirs | 3.00 ms | batching in memory: 6.00 ms | 0.50 |',
  );
  expect(() => summaryTable(highlights, results.slice(1))).toThrow('run bench -- stamps-closed-loop');
});

it('costs are those of a stamp, a column for each load', () => {
  const rows: Row[] = [
    { what: 'CPU a stamp, gateway', unit: 'µs', rounds: [281] },
    { what: 'WAL a stamp', unit: 'bytes', rounds: [6_968.2] },
  ];
  const held: Row[] = [
    { what: 'CPU a stamp, gateway, batch input', unit: 'µs', rounds: [80] },
    { what: 'statements a stamp, batch input', unit: 'statements', rounds: [0.21] },
  ];
  expect(costTable([resultOf('stamps-closed-loop', rows), resultOf('stamp-costs', held)]).split('\n')).toEqual([
    '| a stamp | `stamps-closed-loop` | `stamp-costs`, batch input |',
    '|---|---|---|',
    '| CPU, gateway | 281 µs | 80 µs |',
    '| WAL | 6,968 bytes |  |',
    '| statements |  | 0.21 statements |',
  ]);
});

it('rest has a line a process, the baseline among them, and a column for each kind of figure', () => {
  const bare = { what: 'bare express', rounds: [0.5] };
  const rows: Row[] = [
    { what: 'gateway, CPU in a second at rest', unit: 'ms', rounds: [4, 6], baseline: bare },
    { what: 'gateway, until it is ready', unit: 's', rounds: [1.25] },
  ];
  expect(restTable([resultOf('at-rest', rows)]).split('\n')).toEqual([
    '| process | CPU in a second at rest | until it is ready |',
    '|---|---|---|',
    '| gateway | 5.0 ms | 1.3 s |',
    '| bare express | 0.5 ms |  |',
  ]);
});

it('growth has a table for each thing that was varied, a column for each size', () => {
  const point = (line: string, by: string, x: number): Row => ({
    ...{ what: line, unit: 'stamps/s', rounds: [x, 3 * x, 2 * x] },
    at: { line, by, x },
  });
  const rows = [point('a', 'lanes', 2), point('a', 'lanes', 1), point('b', 'lanes', 1), point('a', 'replicas', 1)];
  expect(growthTables([resultOf('growth', rows)])).toBe(
    '| lanes | 1 | 2 |\n|---|---|---|\n| a | 2.00 stamps/s (1.00–3.00) | 4.00 stamps/s (2.00–6.00) |\n' +
      '| b | 2.00 stamps/s (1.00–3.00) |  |\n\n| replicas | 1 |\n|---|---|\n| a | 2.00 stamps/s (1.00–3.00) |',
  );
});
