import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Rows of a document's tables with this many columns, without headings. A bar within a cell is written `\|`. */
export const rowsOf = (document: string, heading: string): readonly (readonly string[])[] =>
  read(document)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith(`| ${heading}`) && !/^\| -+ \|/.test(line))
    .map((line) =>
      line
        .slice(2, -2)
        .split(/ (?<!\\)\| /)
        .map((cell) => cell.replaceAll('\\|', '|').trim()),
    );

export type NamedTest = { readonly file: string; readonly name: string };

/** The tests that a cell names: `file.ts: name of the test`. */
export const testsIn = (cell: string): NamedTest[] =>
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

/** The named tests whose file, or name in it, is missing. */
export const missingTests = (named: readonly NamedTest[]): string[] =>
  named
    .filter(({ file, name }) => {
      if (!existsSync(join(root, file))) return true;
      const text = read(file);
      return !literals(name).some((literal) => text.includes(literal));
    })
    .map(({ file, name }) => `${file}: ${name}`);
