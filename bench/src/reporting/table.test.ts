import { expect, it } from '@jest/globals';
import type { Row } from '../scenario.ts';
import { isOverBound, tableOf } from './table.ts';

it('the table of a result says whether a bound was kept in every round, and whether a goal was reached', () => {
  const bounded: Row[] = [
    { what: 'WAL', unit: 'bytes', rounds: [10, 20, 65], atMost: 64 },
    { what: 'Kafka', unit: 'bytes', rounds: [-1, 64, 3], atMost: 64 },
  ];
  const baseline = { what: 'SHA3-256 of node', rounds: [100, 200, 400] };
  const goal: Row = { what: 'POST /stamps, speed', unit: 'MB/s', rounds: [40, 10, 160], baseline };
  const lines = tableOf('memory-upload', [...bounded, goal]).split('\n');
  expect(lines[2]).toMatch(/^WAL +20\.0 bytes {2,}10\.0–65\.0 .*≤ 64 bytes {2}over$/);
  expect(lines[3]).toMatch(/^Kafka .*within$/);
  expect(lines[4]).toMatch(/SHA3-256 of node +200 MB\/s +0\.40 +≥ 0\.35 {2}reached$/);
  expect(bounded.map(isOverBound)).toEqual([true, false]);
});

it('there is no ratio to a baseline of zero', () => {
  const row: Row = { what: 'a', unit: 'ms', rounds: [12], baseline: { what: 'idle', rounds: [0] } };
  expect(tableOf('at-rest', [row]).split('\n')[2]).toMatch(/^a +12\.0 ms +12\.0–12\.0 +idle +0\.00 ms$/);
});
