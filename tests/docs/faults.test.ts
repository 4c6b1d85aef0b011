import { describe, expect, it } from '@jest/globals';
import { missingTests, rowsOf, testsIn } from './table-rows.ts';

const rows = rowsOf('docs/faults.md', 'fault');

describe('the table of faults', () => {
  it('tells of each fault what the client sees, how it recovers, and which tests show it', () => {
    expect(rows.length).toBeGreaterThan(30);
    const broken = rows.filter(
      (row) => row.length !== 4 || row.some((cell) => cell === '') || testsIn(row[3] as string).length === 0,
    );
    expect(broken).toEqual([]);
  });

  it('names only files and tests that are there', () => {
    expect(missingTests(rows.flatMap((row) => testsIn(row[3] ?? '')))).toEqual([]);
  });
});
