import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { missingTests, rowsOf, testsIn } from '../docs/table-rows.ts';

const rows = rowsOf('docs/contract.md', 'section');

describe('the table of the contract', () => {
  it('has three columns in every row: section, rule, and tests or "not yet" with a reason', () => {
    expect(rows.length).toBeGreaterThan(100);
    const broken = rows.filter(
      (row) =>
        row.length !== 3 ||
        row.some((cell) => cell === '') ||
        !(/^not yet/.test(row[2] as string) || testsIn(row[2] as string).length > 0),
    );
    expect(broken).toEqual([]);
  });

  it('names sections of the interface, or what else a rule is of', () => {
    const sections = [...readFileSync('docs/interface.md', 'utf8').matchAll(/^## (.+)$/gm)].map(
      ([, heading]) => heading,
    );
    const known = new Set([...sections, 'Batches', 'Events', 'Webhooks', 'Invariants', 'Description']);
    expect(rows.filter(([section = '']) => !known.has(section))).toEqual([]);
  });

  it('names only files and tests that are there', () => {
    expect(missingTests(rows.flatMap(([, , tests = '']) => testsIn(tests)))).toEqual([]);
  });
});
