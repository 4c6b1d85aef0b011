import { createLogger } from '@indelible/service-runtime';
import { eventually, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, createLeadership, type Database, type Migration, migrate } from '../src/index.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
let stored: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
const migrations: Migration[] = [
  {
    name: '0001-things',
    up: async (knex) => void (await knex.raw('create table things (id integer primary key)')),
    down: async (knex) => void (await knex.raw('drop table things')),
  },
];
beforeAll(async () => {
  stored = await testDatabase();
  const ran = await Promise.all([1, 2, 3].map(() => migrate({ url: stored.url, schema: 'one', migrations })));
  expect(ran.flat()).toEqual(['0001-things']);
  database = createDatabase({ url: stored.url, schema: 'one', applicationName: 'test', logger });
});
afterAll(async () => {
  await database.close();
  await stored.drop();
});

describe('migrations', () => {
  it('go on after a run that died in the middle of them', async () => {
    await stored.pool.query('update one.knex_migrations_lock set is_locked = 1');
    expect(await migrate({ url: stored.url, schema: 'one', migrations })).toEqual([]);
  });
});

describe('a transaction', () => {
  it('leaves nothing when its work fails', async () => {
    const failing = database.transaction(async (client) => {
      await client.query('insert into things values (1)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await database.query('select * from things')).rows).toEqual([]);
  });

  it('whose connection is cut between two statements rejects, and the next one works', async () => {
    const cut = database.transaction(async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await stored.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await eventually(async () => {
        const { rows: left } = await stored.pool.query('select 1 from pg_stat_activity where pid = $1', [rows[0]?.pid]);
        expect(left).toEqual([]);
      });
      await client.query('insert into things values (2)');
    });
    await expect(cut).rejects.toThrow();
    await database.transaction((client) => client.query('insert into things values (3)'));
    expect((await database.query('select id from things')).rows).toEqual([{ id: 3 }]);
  });
});

describe('a leadership', () => {
  it('is held by one at a time and passes on when the holder’s session is cut', async () => {
    const led: string[] = [];
    const candidate = (who: string) =>
      createLeadership({
        url: stored.url,
        name: 'test.lead',
        logger,
        retryMs: 50,
        async lead(_session, signal) {
          led.push(who);
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      });
    const [first, second] = [candidate('first'), candidate('second')];
    await first.start();
    await eventually(async () => expect(first.leading()).toBe(true));
    await second.start();
    await stored.pool.query(`select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`);
    await eventually(async () => expect([first.leading(), second.leading()].filter(Boolean)).toHaveLength(1));
    await eventually(async () => expect(led.length).toBeGreaterThan(1));
    await Promise.all([first.stop(), second.stop()]);
    expect([first.leading(), second.leading()]).toEqual([false, false]);
  });
});
