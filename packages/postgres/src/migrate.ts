import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import { asOwner } from './as-owner.ts';
import { sessionAddress } from './session-address.ts';

/**
 * A step of a schema's history; its name never changes once it has run anywhere. One without a transaction builds indexes while
 * others write, and can be run again after it was killed at any point.
 */
export type Migration = {
  readonly name: string;
  readonly config?: { readonly transaction: boolean };
  /** It rewrites or locks tables that the service uses until it is done: with data in them, the service is stopped first. */
  readonly needsStop?: true;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
};

export type SchemaMigrations = {
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
};

/** Nothing is undone: the operator must stop the service, or wait for another run. */
export class MigrationRefusedError extends Error {
  override readonly name = 'MigrationRefusedError';
  readonly retryable = false;
}

const lockRetryMs = 200;

/**
 * Brings a service's schema to the newest state; concurrent runs wait for each other. Returns the names of what ran.
 * The lock is a session's: it ends with its process, where knex's own would remain after a crash. It is polled: a
 * statement that waits for a lock holds a snapshot, for whose end an index build waits. The schema's owner owns what it
 * creates, whichever role connects.
 */
export async function migrate(
  given: SchemaMigrations & {
    /** `may run` refuses what {@link Migration.needsStop} on a schema that is in use. Default: the service is stopped. */
    readonly service?: 'stopped' | 'may run';
    /** How long to wait for another run. Default: no limit. */
    readonly waitMs?: number;
  },
): Promise<readonly string[]> {
  const { schema, waitMs = Number.POSITIVE_INFINITY } = given;
  const options = { ...given, url: await asOwner(given.url, schema) };
  const session = await openSession(options);
  // Without its session the lock is another run's.
  const lostLock = Promise.withResolvers<never>();
  lostLock.promise.catch(() => {});
  session.on('error', lostLock.reject);
  try {
    const deadline = performance.now() + waitMs;
    while (!(await tryLock(session, `migrate ${schema}`))) {
      if (performance.now() >= deadline)
        throw new MigrationRefusedError(
          `${schema}: another run of its migrations is not done after ${waitMs / 1000} s`,
        );
      await delay(lockRetryMs);
    }
    if (options.service === 'may run') refuseUnsafe(schema, await readPending(session, options));
    await ensureSchema(session, schema);
    return await Promise.race([migrateAlone(options), lostLock.promise]);
  } finally {
    await session.end();
  }
}

/** Migrations that have not run, and which of them {@link Migration.needsStop} now: none while the schema holds no data. */
export type PendingMigrations = { readonly pending: readonly string[]; readonly needStop: readonly string[] };

/** What {@link migrate} would run. Changes nothing. */
export async function pendingMigrations(options: SchemaMigrations): Promise<PendingMigrations> {
  const session = await openSession(options);
  try {
    return await readPending(session, options);
  } finally {
    await session.end();
  }
}

async function openSession({ url, schema }: SchemaMigrations): Promise<pg.Client> {
  const session = new pg.Client({ ...sessionAddress(url), application_name: `migrate ${schema}` });
  // The next statement reports its end.
  session.on('error', () => {});
  await session.connect();
  return session;
}

async function readPending(session: pg.Client, { schema, migrations }: SchemaMigrations): Promise<PendingMigrations> {
  const table = `${session.escapeIdentifier(schema)}.knex_migrations`;
  const { rowCount: hasTable } = await session.query('select where to_regclass($1) is not null', [table]);
  const { rows } = hasTable === 1 ? await session.query<{ name: string }>(`select name from ${table}`) : { rows: [] };
  const done = new Set(rows.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !done.has(name));
  const unsafe = pending.filter(({ needsStop }) => needsStop === true);
  const needStop = done.size > 0 && unsafe.length > 0 && (await holdsData(session, schema)) ? unsafe : [];
  return { pending: pending.map(({ name }) => name), needStop: needStop.map(({ name }) => name) };
}

/** Tables that have a row from their first migration on: knex's own, and the event store's cursor. */
const neverEmpty = ['knex_migrations', 'knex_migrations_lock', 'relay_cursor'];

/** Whether any other table of the schema has a row; a first start that was killed between two migrations has left none. */
async function holdsData(session: pg.Client, schema: string): Promise<boolean> {
  const { rows: tables } = await session.query<{ tablename: string }>(
    'select tablename from pg_tables where schemaname = $1 and tablename <> all($2::text[])',
    [schema, neverEmpty],
  );
  const names = tables.map(
    ({ tablename }) => `${session.escapeIdentifier(schema)}.${session.escapeIdentifier(tablename)}`,
  );
  const { rows } = await session.query<{ found: boolean }>(
    `select ${['false', ...names.map((name) => `exists (select from ${name})`)].join(' or ')} as found`,
  );
  return rows[0]?.found === true;
}

function refuseUnsafe(schema: string, { needStop }: PendingMigrations): void {
  if (needStop.length > 0)
    throw new MigrationRefusedError(
      `${schema}: ${needStop.join(', ')} ${needStop.length === 1 ? 'needs' : 'need'} the service stopped: stop it, then add --stopped. Nothing of ${schema} ran`,
    );
}

async function tryLock(session: pg.Client, name: string): Promise<boolean> {
  const { rows } = await session.query<{ held: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
    [name],
  );
  return rows[0]?.held === true;
}

/** A role that owns its schema but may create none is refused even `create schema if not exists`. */
async function ensureSchema(session: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await session.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await session.query(`create schema if not exists ${session.escapeIdentifier(schema)}`);
}

async function migrateAlone(options: SchemaMigrations): Promise<readonly string[]> {
  // Loaded here: it would slow down the start of every service and command, and few migrate.
  const { default: knex } = await import('knex');
  const database = knex({
    client: 'pg',
    connection: { ...sessionAddress(options.url), application_name: `migrate ${options.schema}` },
    searchPath: [options.schema],
    pool: { min: 0, max: 2 },
  });
  const settings: Knex.MigratorConfig = {
    schemaName: options.schema,
    migrationSource: {
      getMigrations: async () => [...options.migrations],
      getMigrationName: (migration: Migration) => migration.name,
      getMigration: async (migration: Migration) => migration,
    },
  };
  try {
    await database.migrate.forceFreeMigrationsLock(settings);
    const [, ran] = (await database.migrate.latest(settings)) as [number, string[]];
    return ran;
  } finally {
    await database.destroy();
  }
}
