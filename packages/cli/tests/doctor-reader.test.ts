import { endingServer, type TestDatabase, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createReader, type Reader } from '../src/doctor/readers/reader.ts';
import { type Keyed, keyOf, surveyTable } from '../src/doctor/readers/survey-table.ts';
import type { Survey } from '../src/doctor/running/survey.ts';

let database: TestDatabase;
let reader: Reader;
beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query(`
    create table things (place bytea, name text, part int, size bigint, primary key (place, name, part));
    insert into things select decode(lpad(to_hex(i % 3), 2, '0'), 'hex'), chr(64 + i % 5) || '''", {}\\ ' , i, 5000000000 + i
      from generate_series(1, 40) i`);
  reader = createReader({ url: database.url, statementTimeoutMs: 3_000 });
});
afterAll(async () => {
  await reader?.close();
  await database?.drop();
});

describe('the reader', () => {
  it.each([
    "insert into public.things values ('', '', 0, 0)",
    'delete from public.things',
    'drop table public.things',
    'select * from public.things for update',
  ])('cannot change anything: %s', async (sql) => {
    await expect(reader.query(sql)).rejects.toThrow(/^Postgres \(DATABASE_URL\): cannot execute .* read-only/);
    const { rows } = await database.pool.query('select count(*)::int as count from things');
    expect(rows).toEqual([{ count: 40 }]);
  });

  it('gives up a statement that takes long, and says which tables are missing', async () => {
    await expect(reader.query('select pg_sleep(60)')).rejects.toThrow(/statement timeout/);
    await expect(reader.query('select * from gateway.collections')).rejects.toThrow(/run the migrations/);
  });

  it('survives a session that the server ends while it is handed out', async () => {
    const server = await endingServer();
    const ended = createReader({ url: server.url });
    await expect(ended.snapshot((query) => query('select 1'))).rejects.toThrow(/not queryable/);
    await ended.close();
    await server.close();
  });

  it('gives int8 as a number', async () => {
    expect(await reader.query('select max(size) as size from public.things')).toEqual([{ size: 5_000_000_040 }]);
  });
});

describe('a survey of a table', () => {
  type Row = { readonly part: number };
  const survey = (pageSize: number, pages: number[] = []): Survey =>
    surveyTable<Row>({
      reader,
      pageSize,
      of: 'things',
      table: 'public.things',
      keys: [
        { column: 'place', type: 'bytea' },
        { column: 'name', type: 'text' },
        { column: 'part', type: 'int' },
      ],
      where: 'part <= $1',
      columns: 't.part',
      parameters: [37],
      judge(rows: readonly Keyed<Row>[]) {
        pages.push(rows.length);
        return rows.map((row) => ({ key: keyOf(row), subject: String(row.part), what: '', remedy: '' }));
      },
    });

  it.each([1, 2, 5, 37, 100])('looks at each row once, in pages of %i', async (pageSize) => {
    const pages: number[] = [];
    const seen: number[] = [];
    let looked = 0;
    for await (const page of survey(pageSize, pages).all()) {
      looked += page.looked;
      seen.push(...page.differences.map(({ subject }) => Number(subject)));
    }
    expect(looked).toBe(37);
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 37 }, (_, i) => i + 1));
    expect(Math.max(...pages)).toBeLessThanOrEqual(pageSize);
  });

  it('looks at the rows of some keys again, whatever their text is, and in pages as well', async () => {
    const keys: string[] = [];
    for await (const page of survey(10).all()) keys.push(...page.differences.map(({ key }) => key));
    const some = keys.filter((_key, i) => i % 4 === 0);
    const pages: number[] = [];
    const again = await survey(3, pages).again(some);
    expect(again.map(({ key }) => key).toSorted()).toEqual(some.toSorted());
    expect(Math.max(...pages)).toBe(3);
  });
});
