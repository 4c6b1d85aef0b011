import { randomBytes } from 'node:crypto';
import {
  type DatabaseTemplate,
  dropTemplate,
  eventually,
  type TestDatabase,
  testDatabase,
  testSession,
} from '@indelible/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import {
  addressOf,
  type DatabaseUser,
  databaseUsers,
  provideDatabase,
  roleOf,
  runMigrations,
  type ServiceName,
  schemasOf,
  serviceNames,
  usualRolePrefix,
} from '../src/provisioning.ts';
import { compileCache } from './command-line.ts';

// Six programs a migration.
jest.setTimeout(180_000);

const permissionDenied = '42501';
const newPasswords = (): Record<DatabaseUser, string> =>
  Object.fromEntries(databaseUsers.map((user) => [user, randomBytes(24).toString('hex')])) as Record<
    DatabaseUser,
    string
  >;

let database: TestDatabase;
let passwords: Record<DatabaseUser, string>;
beforeEach(async () => {
  database = await testDatabase();
  passwords = newPasswords();
});
afterEach(() => database.drop());

const role = (user: DatabaseUser): string => roleOf(usualRolePrefix(database.name), user);
const urlOf = (user: DatabaseUser): string => addressOf(database.url, role(user), passwords[user]);

/** Result of a statement: its rows, or the SQLSTATE that it is refused with. */
async function tryAs(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end();
  }
}

async function migrateAll(urlFor: (service: ServiceName) => string): Promise<void> {
  const runs = await Promise.all(
    serviceNames.map((name) => runMigrations(name, { ...compileCache, DATABASE_URL: urlFor(name) })),
  );
  expect(runs.flatMap(({ fault }) => fault ?? [])).toEqual([]);
}

/** The tables of all services, which belong to the role of the tests. */
const migrated: DatabaseTemplate = {
  name: `all_services_${randomBytes(5).toString('hex')}`,
  create: (url) => migrateAll(() => url),
};
afterAll(() => dropTemplate(migrated));
/** As an installation with one role for all has left it. */
async function useMigrated(): Promise<void> {
  await database.drop();
  database = await testDatabase({ template: migrated });
}

/** Whom everything in the services' schemas belongs to: relations, routines, and the schemas themselves. */
const owners = async () =>
  (
    await database.pool.query<{ schema: string; owner: string }>(
      `select distinct n.nspname as schema, pg_get_userbyid(o.owner) as owner
         from pg_namespace n cross join lateral (
           select n.nspowner as owner
           union select relowner from pg_class where relnamespace = n.oid
           union select proowner from pg_proc where pronamespace = n.oid
           union select typowner from pg_type where typnamespace = n.oid) o
        where n.nspname = any ($1) order by 1, 2`,
      [Object.values(schemasOf).flat()],
    )
  ).rows;
const ownedByRoles = () =>
  serviceNames
    .flatMap((service) => schemasOf[service].map((schema) => ({ schema, owner: role(service) })))
    .sort((a, b) => (a.schema < b.schema ? -1 : 1));

describe('roles of the database', () => {
  it('each service brings its own schemas to the newest state, and reads and writes no other', async () => {
    await provideDatabase({ url: database.url, passwords, closeToOthers: true });
    await migrateAll(urlOf);
    expect(await owners()).toEqual(ownedByRoles());
    for (const user of [...serviceNames, 'reader'] as const)
      for (const service of serviceNames)
        for (const schema of schemasOf[service]) {
          const reads = await tryAs(urlOf(user), `select from ${schema}.knex_migrations limit 0`);
          const writes = await tryAs(urlOf(user), `delete from ${schema}.knex_migrations where false`);
          const makes = await tryAs(urlOf(user), `create table ${schema}.made_by_test ()`);
          expect([user, schema, reads, writes, makes]).toEqual([
            user,
            schema,
            user === service || user === 'reader' ? [] : permissionDenied,
            ...(user === service ? [[], []] : [permissionDenied, permissionDenied]),
          ]);
        }
    for (const user of databaseUsers) {
      expect(await tryAs(urlOf(user), `copy (select 1) to program 'true'`)).toBe(permissionDenied);
      expect(await tryAs(urlOf(user), 'create table public.made ()')).toBe(permissionDenied);
      expect(await tryAs(urlOf(user), 'create role another')).toBe(permissionDenied);
    }
    expect(await tryAs(urlOf('gateway'), `set role ${role('stamping')}`)).toBe(permissionDenied);
    expect(await tryAs(urlOf('storage'), 'create temporary table t ()')).toBe(permissionDenied);
    expect(await tryAs(urlOf('verification'), 'create temporary table t ()')).toEqual([]);
  });

  it('the reader sees tables that are made later, and what the operator makes belongs to the service', async () => {
    await provideDatabase({ url: database.url, passwords, closeToOthers: true });
    await migrateAll(() => urlOf('operator'));
    expect(await owners()).toEqual(ownedByRoles());
    await tryAs(urlOf('stamping'), 'create table stamping.later as select 1 as one');
    expect(await tryAs(urlOf('reader'), 'select one from stamping.later')).toEqual([{ one: 1 }]);
    expect(await tryAs(urlOf('operator'), `update stamping.later set one = 2 returning one`)).toEqual([{ one: 2 }]);
  });

  it('nobody else of the server may connect once it is closed to others, and all may as before while it is not', async () => {
    const other = `${database.name}_other`;
    await database.pool.query(`create role ${other} login password 'secret'; grant create on schema public to public`);
    const asOther = (statement: string) => tryAs(addressOf(database.url, other, 'secret'), statement);
    expect(await provideDatabase({ url: database.url, passwords, closeToOthers: false })).toMatchObject({
      openToAll: true,
    });
    expect(await asOther('create table public.of_another_program ()')).toEqual([]);
    expect(await asOther('create temporary table t ()')).toEqual([]);
    expect(await provideDatabase({ url: database.url, passwords, closeToOthers: true })).toMatchObject({
      openToAll: false,
    });
    expect(await asOther('select 1')).toBe(permissionDenied);
    expect(await tryAs(urlOf('gateway'), 'create table public.made ()')).toBe(permissionDenied);
    // what is closed stays so
    expect(await provideDatabase({ url: database.url, passwords, closeToOthers: false })).toMatchObject({
      openToAll: false,
    });
  });

  it('a second run changes nothing but passwords that are given, and several may run at once', async () => {
    const runs = await Promise.all(
      [1, 2, 3].map(() => provideDatabase({ url: database.url, passwords, closeToOthers: true })),
    );
    expect(runs.map(({ roles }) => roles.filter(({ created }) => created).length).sort()).toEqual([0, 0, 8]);
    expect(runs[0]?.openToAll).toBe(false);
    await migrateAll(urlOf);
    const before = passwords;
    passwords = { ...passwords, gateway: newPasswords().gateway };
    const { roles } = await provideDatabase({
      url: database.url,
      passwords: { gateway: passwords.gateway },
      closeToOthers: true,
    });
    expect(roles.filter(({ created, schemas }) => created || schemas.some(({ taken }) => taken > 0))).toEqual([]);
    expect(roles.filter(({ password }) => password === 'set').map(({ user }) => user)).toEqual(['gateway']);
    for (const user of databaseUsers) expect(await tryAs(urlOf(user), 'select 1 as one')).toEqual([{ one: 1 }]);
    const invalidPassword = '28P01';
    expect(await tryAs(addressOf(database.url, role('gateway'), before.gateway), 'select 1')).toBe(invalidPassword);
  });

  it('an installation with one role for all goes on with these, its data with it', async () => {
    await useMigrated();
    await database.pool.query('create schema gateway_rebuild create table left_by_a_rebuild (x int)');
    const dry = await provideDatabase({ url: database.url, passwords, closeToOthers: true, dryRun: true });
    expect(dry.roles.find(({ user }) => user === 'storage')?.schemas[0]).toMatchObject({ created: false });
    expect(new Set((await owners()).map(({ owner }) => owner)).size).toBe(1);
    const { roles } = await provideDatabase({ url: database.url, passwords, closeToOthers: true });
    expect(roles.flatMap(({ schemas }) => schemas).every(({ created, taken }) => !created && taken > 2)).toBe(true);
    expect(await owners()).toEqual(ownedByRoles());
    await migrateAll(urlOf);
    expect(await tryAs(urlOf('gateway'), 'drop schema gateway_rebuild cascade')).toEqual([]);
    for (const schema of Object.values(schemasOf).flat())
      expect(await tryAs(urlOf('reader'), `select from ${schema}.knex_migrations limit 0`)).toEqual([]);
  });

  describe('while a transaction of another session uses one of its tables', () => {
    let holder: pg.Client;
    beforeEach(async () => {
      await useMigrated();
      holder = await testSession(database.url, { application_name: 'a long report' });
      await holder.query('begin; select from stamping.batches limit 0');
    });
    afterEach(() => holder.end());

    const take = (waitMs: number) =>
      provideDatabase({ url: database.url, passwords, closeToOthers: true, waitMs }).then(
        () => 'done',
        (error: Error) => error,
      );
    /** Tables whose whole lock the run waits for, and has, at one moment. */
    const locks = async () => {
      const { rows } = await database.pool.query<{ name: string; granted: boolean }>(
        `select l.relation::regclass::text as name, l.granted from pg_locks l join pg_stat_activity a using (pid)
          where a.application_name = 'provision database' and a.datname = current_database()
            and l.mode = 'AccessExclusiveLock' and l.relation is not null`,
      );
      const names = (of: boolean) => rows.filter(({ granted }) => granted === of).map(({ name }) => name);
      return { waitsFor: names(false), has: names(true) };
    };
    /** What a service does meanwhile, each statement with a lock timeout that is well above the bound. */
    async function readUntil(done: Promise<unknown>): Promise<number> {
      let left = true;
      void done.then(() => {
        left = false;
      });
      let read = 0;
      const service = await testSession(database.url);
      try {
        await service.query(`set lock_timeout = '5s'`);
        for (; left; read++)
          await service.query('select from stamping.batches, stamping.lanes, gateway.stamps limit 0');
      } finally {
        await service.end();
      }
      return read;
    }

    it('all others go over, nobody waits long for that one, and the run ends with what is in the way (I12)', async () => {
      const taking = take(8_000);
      expect(await readUntil(taking)).toBeGreaterThan(1);
      const ended = await taking;
      expect(ended).toMatchObject({ name: 'DatabaseProvisionError', reason: 'in use', retryable: true });
      expect(String(ended)).toMatch(
        /stamping\.batches is in use by a transaction of 'a long report' \(process \d+\), open for \d+ s: end it, and run this again; all else was taken over/,
      );
      const { rows } = await database.pool.query<{ name: string; owner: string }>(
        `select oid::regclass::text as name, pg_get_userbyid(relowner) as owner from pg_class
          where oid = any (array['stamping.batches', 'stamping.lanes', 'verification.commitments']::regclass[])
          order by 1`,
      );
      expect(rows.map(({ owner }) => owner)).toEqual([
        new URL(database.url).username,
        role('stamping'),
        role('verification'),
      ]);
      await holder.query('commit');
      expect(await take(60_000)).toBe('done');
      expect(await owners()).toEqual(ownedByRoles());
    });

    it('a run that fails leaves the former role of all services connected, and a later one closes the database (I11)', async () => {
      const former = `${database.name}_former`;
      await database.pool.query(`create role ${former} login password 'secret'`);
      const asFormer = () => tryAs(addressOf(database.url, former, 'secret'), 'select 1 as one');
      expect(await take(0)).toMatchObject({ reason: 'in use' });
      expect(await asFormer()).toEqual([{ one: 1 }]);
      await holder.query('commit');
      expect(await take(60_000)).toBe('done');
      expect(await asFormer()).toBe(permissionDenied);
    });

    it('it ends by itself once that one has ended, and holds no lock of another table meanwhile (I11)', async () => {
      const taking = take(120_000);
      const locked = await eventually(
        async () => {
          const found = await locks();
          expect(found.waitsFor).toEqual(['stamping.batches']);
          return found;
        },
        { timeoutMs: 60_000 },
      );
      expect(locked.has).toEqual([]);
      await holder.query('commit');
      expect(await taking).toBe('done');
      expect(await owners()).toEqual(ownedByRoles());
    });

    it('a dry run waits for nobody, and says what would be taken over', async () => {
      const { roles } = await provideDatabase({ url: database.url, passwords, closeToOthers: true, dryRun: true });
      expect(roles.flatMap(({ schemas }) => schemas).every(({ created, taken }) => !created && taken > 2)).toBe(true);
      expect(new Set((await owners()).map(({ owner }) => owner)).size).toBe(1);
    });
  });

  it('an administrator who is no superuser can do it, as on managed Postgres', async () => {
    const admin = `${database.name}_admin`;
    await database.pool.query(`create role ${admin} login createrole password 'secret'`);
    await database.pool.query(`alter database ${database.name} owner to ${admin}`);
    const url = addressOf(database.url, admin, 'secret');
    for (const _run of ['first', 'again'])
      expect(await provideDatabase({ url, passwords, closeToOthers: true })).toMatchObject({ openToAll: false });
    await migrateAll(urlOf);
    await provideDatabase({ url, passwords, closeToOthers: true });
    expect(await owners()).toEqual(ownedByRoles());
    expect(await tryAs(urlOf('gateway'), 'select from stamping.knex_migrations')).toBe(permissionDenied);
    expect(await tryAs(urlOf('reader'), 'select from stamping.knex_migrations limit 0')).toEqual([]);
  });

  it('an administrator who may not act for the former role is refused before anything is changed', async () => {
    const [admin, former] = [`${database.name}_admin`, `${database.name}_former`];
    await database.pool.query(`create role ${admin} login createrole password 'secret'; create role ${former}`);
    await database.pool.query(`alter database ${database.name} owner to ${admin}`);
    await database.pool.query(`create schema storage authorization ${former} create table storage.files ()`);
    const url = addressOf(database.url, admin, 'secret');
    for (const dryRun of [true, false])
      await expect(provideDatabase({ url, passwords, closeToOthers: true, dryRun })).rejects.toMatchObject({
        reason: 'may not take over',
        message: expect.stringContaining(`may not take over schema storage of role ${former}`),
      });
    const { rows } = await database.pool.query('select from pg_roles where rolname = $1', [role('gateway')]);
    expect(rows).toEqual([]);
  });

  it('a role that may create none is refused, and so is one of a service that may do more than log in', async () => {
    const mere = `${database.name}_mere`;
    await database.pool.query(`create role ${mere} login password 'secret'`);
    const url = addressOf(database.url, mere, 'secret');
    await expect(provideDatabase({ url, passwords, closeToOthers: true })).rejects.toThrow('give it CREATEROLE');
    await database.pool.query(`create role ${role('gateway')} createdb`);
    await expect(provideDatabase({ url: database.url, passwords, closeToOthers: true })).rejects.toThrow(
      'may do more than log in',
    );
    await database.pool.query(`alter role ${role('gateway')} nocreatedb; grant pg_read_all_data to ${role('gateway')}`);
    await expect(provideDatabase({ url: database.url, passwords, closeToOthers: true })).rejects.toThrow(
      'member of pg_read_all_data',
    );
    expect(await owners()).toEqual([]);
  });
});
