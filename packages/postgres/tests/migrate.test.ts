import { type TestDatabase, testDatabase, testSession } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Migration, MigrationRefusedError, migrate, pendingMigrations } from '../src/index.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

const down = async (): Promise<void> => {};
const first: Migration = {
  name: '0100-first',
  up: async (knex) => void (await knex.raw('create table things (id integer)')),
  down,
};
const rewriting: Migration = {
  name: '0101-rewriting',
  needsStop: true,
  up: async (knex) => void (await knex.raw('alter table things alter column id type bigint')),
  down,
};
const later: Migration = { name: '0102-later', up: async (knex) => void (await knex.raw('select 1')), down };

const of = (...migrations: Migration[]) => ({ url: database.url, schema: 'things', migrations });

describe('a migration that needs the service stopped', () => {
  it('runs in a first start, and where there is no data', async () => {
    expect(await migrate({ ...of(first, rewriting), service: 'may run' })).toHaveLength(2);
    await database.pool.query('drop schema things cascade');
    await migrate(of(first));
    expect(await pendingMigrations(of(first, rewriting))).toEqual({ pending: ['0101-rewriting'], needStop: [] });
    expect(await migrate({ ...of(first, rewriting), service: 'may run' })).toEqual(['0101-rewriting']);
  });

  it('is refused with all that is pending while the service may run, and runs when it is stopped', async () => {
    await migrate(of(first));
    await database.pool.query('insert into things.things values (1)');
    const all = of(first, rewriting, later);
    expect(await pendingMigrations(all)).toEqual({
      pending: ['0101-rewriting', '0102-later'],
      needStop: ['0101-rewriting'],
    });
    const refused = migrate({ ...all, service: 'may run' });
    await expect(refused).rejects.toThrow(MigrationRefusedError);
    await expect(refused).rejects.toThrow('0101-rewriting needs the service stopped');
    expect((await pendingMigrations(all)).pending).toHaveLength(2);
    expect(await migrate({ ...all, service: 'stopped' })).toEqual(['0101-rewriting', '0102-later']);
    expect(await migrate({ ...all, service: 'may run' })).toEqual([]);
  });
});

describe('looking what is pending', () => {
  it('writes nothing, also where there is no schema yet', async () => {
    expect(await pendingMigrations(of(first, rewriting))).toEqual({
      pending: ['0100-first', '0101-rewriting'],
      needStop: [],
    });
    const { rowCount } = await database.pool.query(`select from pg_namespace where nspname = 'things'`);
    expect(rowCount).toBe(0);
  });
});

describe('migrations whose session loses their lock', () => {
  it('fail: another run may have begun', async () => {
    const losing: Migration = {
      name: '0100-losing',
      up: async (knex) => {
        await knex.raw(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
          and database = (select oid from pg_database where datname = current_database())`);
        await knex.raw('select pg_sleep(0.5)');
      },
      down,
    };
    await expect(migrate(of(losing))).rejects.toThrow('terminating connection');
  });
});

describe('migrations that another run holds up', () => {
  it('are waited for no longer than given', async () => {
    const other = await testSession(database.url);
    try {
      await other.query(`select pg_advisory_lock(hashtextextended('migrate things', 0))`);
      await expect(migrate({ ...of(first), waitMs: 300 })).rejects.toThrow('another run of its migrations is not done');
    } finally {
      await other.end();
    }
    expect(await migrate({ ...of(first), waitMs: 300 })).toEqual(['0100-first']);
  });
});
