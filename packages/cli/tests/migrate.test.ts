import { type TestDatabase, testDatabase } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from './command-line.ts';

// Six programs a command.
jest.setTimeout(120_000);

const schemas = ['accounts', 'gateway', 'stamping', 'chain', 'storage', 'verification', 'notifications'];

describe('indelible migrate', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());

  const migrate = (...words: string[]) =>
    runCommand(['migrate', ...words], { folder: '/', environment: { DATABASE_URL: database.url } });
  const present = async (): Promise<unknown[]> =>
    (
      await database.pool.query(
        `select schemaname from pg_tables where tablename = 'knex_migrations' order by schemaname`,
      )
    ).rows.map(({ schemaname }) => schemaname);

  it('brings all schemas to the newest state, and runs nothing again', async () => {
    const dry = await migrate('--dry-run');
    expect([dry.code, dry.err]).toEqual([0, '']);
    expect(dry.out).toContain('stamping: would run ');
    expect(await present()).toEqual([]);
    const first = await migrate();
    expect([first.code, first.err]).toEqual([0, '']);
    expect(await present()).toEqual([...schemas].sort());
    const second = await migrate();
    expect(second).toEqual({
      code: 0,
      err: '',
      out: `${schemas.map((schema) => `${schema}: up to date`).join('\n')}\n`,
    });
  });

  it('may run several times at once', async () => {
    const runs = await Promise.all([migrate('storage'), migrate('storage'), migrate('storage', '--json')]);
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
    expect(await present()).toEqual(['storage']);
  });

  it('runs what needs the service stopped only when that is said, once there is data', async () => {
    await migrate('storage', 'chain-indexer');
    const forget = `delete from storage.knex_migrations where name = '0101-uploads'`;
    await database.pool.query(forget);
    // Without data a first start goes on: it runs the migration, which fails here since its tables are there.
    expect((await migrate('storage')).err).not.toContain('--stopped');
    await database.pool.query('create table storage.kept as select 1 as one');
    const { code, out, err } = await migrate('storage', 'chain-indexer');
    expect(code).toBe(1);
    expect(err).toContain('0101-uploads needs the service stopped: stop it, then add --stopped');
    expect(out).toBe('chain: up to date\n');
    const dry = await migrate('storage', '--dry-run');
    expect([dry.code, dry.out]).toEqual([
      0,
      'storage: would run 0101-uploads; needs the service stopped: 0101-uploads\n',
    ]);
  });

  it('names what is invalid', async () => {
    expect((await migrate('nobody')).code).toBe(2);
    const nowhere = await runCommand(['migrate', 'storage'], {
      folder: '/',
      environment: { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' },
    });
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('not migrated: storage')]);
  });
});
