import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

/** Sources that create tables, by schema; `*`: for several schemas. */
const sources: Readonly<Record<string, readonly string[]>> = {
  '*': globSync('packages/event-store/src/*.ts', { cwd: root }),
  accounts: ['packages/accounts/src/schema.ts'],
  ...Object.fromEntries(
    ['gateway', 'stamping', 'chain-indexer', 'storage', 'verification', 'notifications'].map((service) => [
      service === 'chain-indexer' ? 'chain' : service,
      globSync(`services/${service}/src/migrations/*.ts`, { cwd: root }),
    ]),
  ),
};
/** A partition has the name of its table before it, or is named as it is made. */
const created = /create table (?:if not exists )?([a-z][a-z_]*[a-z])(?= *\(| partition| as)/g;

const tables = Object.entries(sources).flatMap(([schema, files]) =>
  files.flatMap((file) => [...read(file).matchAll(created)].map((match) => `${schema}.${match[1]}`)),
);
const [, section = ''] = read('docs/operations.md').split('### Postgres');
const listed = section
  .split('###')[0]
  ?.split('\n')
  .flatMap((line) =>
    [...(/^\| ([^|]*) \|/.exec(line)?.[1]?.matchAll(/`([^`]+)`/g) ?? [])].map((match) => match[1] as string),
  );

describe('docs/operations.md: what grows', () => {
  it('has every table that a migration makes', () => {
    expect(tables.length).toBeGreaterThan(40);
    const missing = tables.filter((table) => {
      const [schema, name = ''] = table.split('.');
      const covers = (one: string): boolean =>
        one === table ||
        one === `*.${name}` ||
        one.startsWith(`*.${name}_`) ||
        (schema === '*' && one.endsWith(`.${name}`));
      return !listed?.some(covers);
    });
    expect(missing).toEqual([]);
  });
});
