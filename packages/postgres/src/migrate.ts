import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';

/**
 * A step of a schema's history; its name never changes once it has run anywhere. One without a transaction builds indexes while
 * others write, and can be run again after it was killed at any point.
 */
export type Migration = {
  readonly name: string;
  readonly config?: { readonly transaction: boolean };
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
};

const lockRetryMs = 200;

/**
 * Brings a service's schema to the newest state; concurrent runs wait for each other. Returns the names of what ran.
 * The lock is of a session: it goes with the process that holds it, where knex's own would stay behind after a crash. It is
 * tried again and again: a statement that waits for a lock has a snapshot, for whose end an index that is being built waits.
 */
export async function migrate(options: {
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
}): Promise<readonly string[]> {
  const session = new pg.Client({ connectionString: options.url, application_name: `migrate ${options.schema}` });
  await session.connect();
  try {
    while (!(await tryLock(session, `migrate ${options.schema}`))) await delay(lockRetryMs);
    await ensureSchema(session, options.schema);
    return await migrateAlone(options);
  } finally {
    await session.end();
  }
}

async function tryLock(session: pg.Client, name: string): Promise<boolean> {
  const { rows } = await session.query<{ held: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
    [name],
  );
  return rows[0]?.held === true;
}

/** A role that owns its schema and may create no other is refused even `create schema if not exists`. */
async function ensureSchema(session: pg.Client, schema: string): Promise<void> {
  const { rowCount } = await session.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount === 0) await session.query(`create schema if not exists ${session.escapeIdentifier(schema)}`);
}

async function migrateAlone(options: Parameters<typeof migrate>[0]): Promise<readonly string[]> {
  const database = knex({
    client: 'pg',
    connection: { connectionString: options.url, application_name: `migrate ${options.schema}` },
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
