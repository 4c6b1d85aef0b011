import { describe, expect, it } from '@jest/globals';
import type { Row } from '../scenario.ts';
import { cellsOf, tableOf } from './table.ts';

describe('the table of a result', () => {
  it('holds a bound in every round, and says when one is over it', () => {
    const table = tableOf([
      { what: 'gateway', unit: 'MB', rounds: [10, 20, 65], reach: { atMost: 64 } },
      { what: 'storage', unit: 'MB', rounds: [-1, 64, 3], reach: { atMost: 64 } },
    ]).split('\n');
    expect(table[2]).toMatch(/^gateway {2}20\.0 MB {2,}10\.0–65\.0 .*≤ 64 MB {2}over$/);
    expect(table[3]).toMatch(/^storage .*within$/);
  });

  it('tells no ratio beside a baseline of nothing', () => {
    const row: Row = { what: 'a', unit: 'ms', rounds: [12], baseline: { what: 'idle', rounds: [0] } };
    expect(cellsOf(row)).toEqual(['a', '12.0 ms', '12.0–12.0', 'idle', '0.00 ms', '', '', '']);
  });

  it('holds a ratio in the median of the rounds', () => {
    const baseline = { what: 'hash', rounds: [100, 200, 400] };
    const row = { what: 'upload', unit: 'MB/s', rounds: [40, 10, 160], baseline } as const;
    expect(tableOf([{ ...row, reach: { ratioAtLeast: 0.35 } }])).toMatch(/0\.40 +≥ 0\.35 {2}reached$/);
    expect(tableOf([{ ...row, reach: { ratioAtLeast: 0.5 } }])).toMatch(/≥ 0\.5 {2}missed$/);
    expect(tableOf([{ ...row, reach: { ratioAtMost: 0.4 } }])).toMatch(/≤ 0\.4 {2}reached$/);
    expect(tableOf([{ ...row, reach: { ratioAtMost: 0.3 } }])).toMatch(/≤ 0\.3 {2}missed$/);
  });
});
