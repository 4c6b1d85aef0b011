import { eventually, testDatabase, testSession } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { buildIndex, buildPartitionedIndex, type Migration, migrate, replaceIndex } from '../src/index.ts';

let stored: Awaited<ReturnType<typeof testDatabase>>;
let writer: pg.Client;
const schema = 'indexed';
const things: Migration = {
  name: '0001-things',
  async up(knex) {
    await knex.raw(`
      create table things (id integer, color text);
      create index things_by_color on things (id);
      create table parts (id integer) partition by hash (id);
      create table parts_0 partition of parts for values with (modulus 2, remainder 0);
      create table parts_1 partition of parts for values with (modulus 2, remainder 1);
      insert into things values (1);
      insert into parts select generate_series(1, 20)`);
  },
  async down() {},
};
const withoutTransaction = (name: string, up: Migration['up']): Migration => ({
  name,
  config: { transaction: false },
  up,
  down: async () => {},
});
const run = (...more: readonly Migration[]) => migrate({ url: stored.url, schema, migrations: [things, ...more] });

beforeAll(async () => {
  stored = await testDatabase();
});
beforeEach(async () => {
  await run();
  writer = await testSession(stored.url);
  await writer.query(`set search_path to ${schema}; set lock_timeout = '10s'`);
});
afterEach(async () => {
  await writer.end();
  await stored.pool.query(`drop schema ${schema} cascade`);
});
afterAll(() => stored.drop());

const indexes = async () =>
  (
    await stored.pool.query<{ name: string; valid: boolean; on: string }>(
      `select c.relname as name, i.indisvalid as valid, pg_get_indexdef(c.oid) as on
       from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = $1::regnamespace
         and i.indrelid = any(array['${schema}.things', '${schema}.parts', '${schema}.parts_0', '${schema}.parts_1']::regclass[])
       order by 1`,
      [schema],
    )
  ).rows;

/** Runs while a transaction that writes to the table is open, so that the index waits for it. */
async function whileWriting(table: string, migrating: () => Promise<unknown>, act: () => Promise<void>) {
  const open = await testSession(stored.url);
  await open.query(`begin; lock table ${schema}.${table} in row exclusive mode`);
  const outcome = migrating().then(
    () => 'done',
    () => 'failed',
  );
  try {
    await eventually(async () => expect((await indexes()).some(({ valid }) => !valid)).toBe(true));
    await act();
  } finally {
    await open.end();
  }
  return await outcome;
}
const byId = withoutTransaction('0002-by-id', (knex) => buildIndex(knex, 'things_by_id', 'things', '(id, color)'));
const killBuild = async (): Promise<void> => {
  await eventually(async () => {
    const { rows } = await stored.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query ilike 'create index concurrently%'`,
    );
    expect(rows).toHaveLength(1);
  });
};

describe('an index that a migration builds', () => {
  it('lets writes go on meanwhile (I11)', async () => {
    const outcome = await whileWriting(
      'things',
      () => run(byId),
      async () => {
        await writer.query('insert into things values (2)');
      },
    );
    expect(outcome).toBe('done');
    expect(await indexes()).toMatchObject([{ name: 'things_by_color' }, { name: 'things_by_id', valid: true }]);
  });

  it('is built again after the migration was killed half-way', async () => {
    expect(await whileWriting('things', () => run(byId), killBuild)).toBe('failed');
    expect((await indexes()).find(({ name }) => name === 'things_by_id')).toMatchObject({ valid: false });
    expect(await run(byId)).toEqual(['0002-by-id']);
    expect((await indexes()).find(({ name }) => name === 'things_by_id')).toMatchObject({ valid: true });
  });

  it('is waited for by a second run, which does not keep it from being finished', async () => {
    const both = () => Promise.all([run(byId), run(byId)]);
    expect(await whileWriting('things', both, async () => {})).toBe('done');
  });

  it('takes the place of another one, killed half-way or not', async () => {
    const replace = withoutTransaction('0002-replace', (knex) =>
      replaceIndex(knex, 'things_by_color', 'things', '(color)'),
    );
    expect(await whileWriting('things', () => run(replace), killBuild)).toBe('failed');
    await run(replace);
    expect(await indexes()).toEqual([{ name: 'things_by_color', valid: true, on: expect.stringContaining('(color)') }]);
  });

  it('of an empty table waits for no query of others', async () => {
    const slow = await stored.pool.connect();
    try {
      await slow.query(`begin isolation level repeatable read; select from ${schema}.things`);
      await run(
        withoutTransaction('0002-new', async (knex) => {
          await knex.raw('create table new (id integer)');
          await buildIndex(knex, 'new_by_id', 'new', '(id)');
        }),
      );
    } finally {
      slow.release(true);
    }
  });

  it('of a partitioned table lets writes to its partitions go on, killed half-way or not', async () => {
    const parts = withoutTransaction('0002-parts', (knex) =>
      buildPartitionedIndex(knex, 'parts_by_id', 'parts', '(id)'),
    );
    const writing = async () => {
      await writer.query('insert into parts values (2), (3), (4)');
      await killBuild();
    };
    expect(await whileWriting('parts_0', () => run(parts), writing)).toBe('failed');
    await run(parts);
    expect((await indexes()).filter(({ name }) => name.startsWith('parts'))).toMatchObject([
      { name: 'parts_0_by_id', valid: true },
      { name: 'parts_1_by_id', valid: true },
      { name: 'parts_by_id', valid: true },
    ]);
  });
});
