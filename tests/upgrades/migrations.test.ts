import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Migration, migrate } from '../../packages/postgres/src/migrate.ts';
import { readMigrations, workspace } from './support/contents.ts';
import { lastRelease } from './support/releases.ts';

// Migrations run while the services of the last release do, so each of them only adds: what that release reads and writes stays.

type Column = { readonly place: string; readonly type: string; readonly required: boolean };

/** What takes something from the last release all the same, and has a row in docs/upgrades.md that says what that means. */
const exemptions: Readonly<Record<string, readonly string[]>> = {
  '0006-settled-position': ['events.transaction_id', 'relay_cursor.transaction_id'],
};

const release = await lastRelease();
const migrations = await readMigrations<Migration>(workspace);
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.drop());

/** The columns of a schema, in the words of its tables. Partitions are those of their parents. */
async function columnsOf(schema: string): Promise<ReadonlyMap<string, Column>> {
  const { rows } = await database.pool.query<Column>(
    `select c.relname || '.' || a.attname as place, format_type(a.atttypid, a.atttypmod) as type,
            a.attnotnull and not a.atthasdef and a.attidentity = '' as required
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped`,
    [schema],
  );
  return new Map(rows.map((column) => [column.place, column]));
}

/** Constraints and unique indexes, each of which can refuse a row that the last release writes. */
async function rulesOf(schema: string): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ rule: string }>(
    `select conrelid::regclass || ': ' || pg_get_constraintdef(oid) as rule from pg_constraint
     where connamespace = $1::regnamespace and contype in ('c', 'f', 'u', 'x') and conparentid = 0
     union all
     select indrelid::regclass || ': ' || pg_get_indexdef(indexrelid) from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = $1::regnamespace and not c.relispartition and indisunique`,
    [schema],
  );
  return rows.map(({ rule }) => rule).toSorted();
}

describe.each(Object.keys(migrations))('the migrations of %s since the last release', (schema) => {
  const all = migrations[schema] ?? [];
  const released = new Set(release.migrations[schema]);
  const added = all.filter(({ name }) => !released.has(name));

  it('leave what that release uses as it is, and come while it runs', async () => {
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining([...released]));
    const { url } = database;
    await migrate({ url, schema, migrations: all.filter(({ name }) => released.has(name)) });
    const [columns, rules] = [await columnsOf(schema), await rulesOf(schema)];
    expect(columns.size).toBeGreaterThan(0);
    await migrate({ url, schema, migrations: all });
    const after = await columnsOf(schema);
    const exempt = new Set(added.flatMap(({ name }) => exemptions[name] ?? []));
    const tables = new Set([...columns.keys()].map(tableOf));
    expect([...columns.values()].filter(({ place }) => !exempt.has(place) && !after.has(place))).toEqual([]);
    for (const { place, type } of columns.values()) if (after.has(place)) expect(after.get(place)?.type).toBe(type);
    // The last release does not know them, and writes rows without them.
    const unknown = [...after.values()].filter(({ place }) => tables.has(tableOf(place)) && !columns.has(place));
    expect(unknown.filter(({ required }) => required)).toEqual([]);
    expect(
      (await rulesOf(schema)).filter((rule) => tables.has(tableIn(rule, schema)) && !rules.includes(rule)),
    ).toEqual([]);
  });

  it('build indexes of its tables while others write, and rewrite nothing', () => {
    for (const { name, up, needsStop } of added) {
      expect([name, needsStop]).toEqual([name, undefined]);
      const text = String(up);
      expect([name, /create\s+(unique\s+)?index(?!\s+concurrently)/i.test(text)]).toEqual([name, false]);
    }
  });
});

const tableOf = (place: string): string => place.slice(0, place.indexOf('.'));
const tableIn = (rule: string, schema: string): string =>
  rule.slice(0, rule.indexOf(':')).replace(`${schema}.`, '').replaceAll('"', '');

it('what takes something from the last release is in docs/upgrades.md', async () => {
  const page = await readFile(join(workspace, 'docs/upgrades.md'), 'utf8');
  for (const [name, places] of Object.entries(exemptions)) {
    expect(page).toContain(name);
    for (const place of places) expect([name, place, page.includes(place)]).toEqual([name, place, true]);
  }
});
