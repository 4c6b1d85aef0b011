import { migrate } from '@indelible/postgres';
import { DiedHere, dyingAfter, eventually, type TestDatabase, testDatabase } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrateStamping, migrations } from '../src/migrate.ts';
import { schema } from '../src/schema.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

const upTo = (name: string) =>
  migrations.slice(
    0,
    migrations.findIndex((migration) => migration.name === name),
  );
const run = (some: typeof migrations) => migrate({ url: database.url, schema, migrations: some });
/** Tables with their columns, and indexes, as Postgres describes them. */
const described = async () => {
  const { rows } = await database.pool.query<{ text: string }>(
    `select pg_get_indexdef(indexrelid) || ' ' || indisvalid as text from pg_index
       where indrelid in (select oid from pg_class where relnamespace = $1::text::regnamespace)
     union all
     select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
       from information_schema.columns where table_schema = $1::text
     order by 1`,
    [schema],
  );
  return rows.map(({ text }) => text);
};

describe('a migration without a transaction', () => {
  it('goes on after it was killed behind any of its statements', async () => {
    await migrateStamping(database.url);
    const expected = await described();
    await database.pool.query(`drop schema ${schema} cascade`);
    for (const migration of migrations.filter(({ config }) => config?.transaction === false))
      for (let statements = 1, died = true; died; statements++) {
        const dying = run([...upTo(migration.name), dyingAfter(migration, statements)]);
        died = await dying.then(
          () => false,
          (error: unknown) => {
            expect(error).toBeInstanceOf(DiedHere);
            return true;
          },
        );
      }
    await migrateStamping(database.url);
    expect(await described()).toEqual(expected);
  });

  it.each([
    ['0110-identities', ['stamps']],
    ['0113-request-events', ['events']],
    ['0140-unhindered', ['collections', 'accounts']],
  ])('%s lets writes to its tables go on (I11)', async (name, tables) => {
    const before = upTo(name);
    await run(before);
    const names = tables.map((table) => `${schema}.${table}`).join(', ');
    const [running, next] = await Promise.all([database.pool.connect(), database.pool.connect()]);
    try {
      await running.query(`begin; lock table ${names} in row exclusive mode`);
      const migrating = run(migrations.slice(0, before.length + 1));
      // The migration waits for the transaction that writes; the next one that would write does not wait for the migration.
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `select from pg_stat_activity where datname = current_database() and query ~* '^ *(create|alter)'
             and wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(1);
      });
      await next.query("set lock_timeout = '10s'");
      for (const table of tables) await next.query(`delete from ${schema}.${table} where false`);
      await running.query('rollback');
      await migrating;
    } finally {
      for (const client of [running, next]) client.release(true);
    }
  });
});
