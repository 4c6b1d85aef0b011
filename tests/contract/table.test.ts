import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Rows of the tables: section, rule, and what shows the rule. A bar within a cell is written `\|`. */
const rows = read('docs/contract.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| section') && !/^\| -+ \|/.test(line))
  .map((line) =>
    line
      .slice(2, -2)
      .split(/ (?<!\\)\| /)
      .map((cell) => cell.replaceAll('\\|', '|').trim()),
  );

type Named = { readonly file: string; readonly name: string };

const namedIn = (cell: string): Named[] =>
  [...cell.matchAll(/`([^`]+?\.ts): ([^`]+)`/g)].map(([, file, name]) => ({
    file: file as string,
    name: name as string,
  }));

/** A name as a literal of the source has it. */
const literals = (name: string): string[] => [
  `'${name.replaceAll("'", "\\'")}'`,
  `"${name.replaceAll('"', '\\"')}"`,
  `\`${name}\``,
];

describe('the table of the contract', () => {
  it('has three columns in every row: section, rule, and tests or "not yet" with a reason', () => {
    expect(rows.length).toBeGreaterThan(100);
    const broken = rows.filter(
      (row) =>
        row.length !== 3 ||
        row.some((cell) => cell === '') ||
        !(/^not yet/.test(row[2] as string) || namedIn(row[2] as string).length > 0),
    );
    expect(broken).toEqual([]);
  });

  it('names only files and tests that are there', () => {
    const missing = rows
      .flatMap(([, , tests = '']) => namedIn(tests))
      .filter(({ file, name }) => {
        if (!existsSync(join(root, file))) return true;
        const text = read(file);
        return !literals(name).some((literal) => text.includes(literal));
      });
    expect(missing.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });
});
