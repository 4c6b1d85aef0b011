import knex, { type Knex } from 'knex';

/** A step of a schema's history; its name never changes once it has run anywhere. */
export type Migration = { readonly name: string; up(knex: Knex): Promise<void>; down(knex: Knex): Promise<void> };

/** Brings a service's schema to the newest state; concurrent runs wait for each other. Returns the names of what ran. */
export async function migrate(options: {
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
}): Promise<readonly string[]> {
  const database = knex({
    client: 'pg',
    connection: { connectionString: options.url, application_name: `migrate ${options.schema}` },
    searchPath: [options.schema],
    pool: { min: 0, max: 2 },
  });
  try {
    await createSchema(database, options.schema);
    const [, ran] = (await database.migrate.latest({
      schemaName: options.schema,
      migrationSource: {
        getMigrations: async () => [...options.migrations],
        getMigrationName: (migration: Migration) => migration.name,
        getMigration: async (migration: Migration) => migration,
      },
    })) as [number, string[]];
    return ran;
  } finally {
    await database.destroy();
  }
}

/** `if not exists` alone is not safe among concurrent callers: the second fails on the catalogue's unique index. */
async function createSchema(database: Knex, schema: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`schema ${schema}`]);
    await transaction.raw('create schema if not exists ??', [schema]);
  });
}
