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
/** Indexes of an empty table are built differently. */
const addEvent = () =>
  database.pool.query(
    `insert into ${schema}.events (stream, version, type, type_version, message_id, data)
     values ('any', 1, 'StampRequestRefused', 1, gen_random_uuid(), '{}')`,
  );
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
    await run(upTo('0005-events-by-position'));
    await addEvent();
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

  it('lets events be recorded while it builds an index of them (I11)', async () => {
    const before = upTo('0113-request-events');
    await run(before);
    await addEvent();
    const [running, next] = await Promise.all([database.pool.connect(), database.pool.connect()]);
    try {
      await running.query(`begin; lock table ${schema}.events in row exclusive mode`);
      const migrating = run(migrations.slice(0, before.length + 1));
      // The migration waits for the writing transaction; the next writer does not wait for the migration.
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `select from pg_stat_activity where datname = current_database() and query ~* '^ *(create|alter)'
             and wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(1);
      });
      await next.query("set lock_timeout = '10s'");
      await next.query(`delete from ${schema}.events where false`);
      await running.query('rollback');
      await migrating;
    } finally {
      for (const client of [running, next]) client.release(true);
    }
  });
});
