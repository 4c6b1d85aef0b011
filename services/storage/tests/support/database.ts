import { createDatabase, type Database } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { type TestDatabase, testDatabase } from '@indelible/testing';
import { migrateStorage } from '../../src/migrate.ts';
import { schema } from '../../src/migrations/migrations.ts';

export const logger = createLogger({ service: 'storage', level: 'silent' });

/** A migrated database of one test file's own. */
export async function storageDatabase(): Promise<TestDatabase> {
  const database = await testDatabase();
  await migrateStorage(database.url);
  return database;
}

export const connect = (url: string): Database => createDatabase({ url, schema, applicationName: 'test', logger });

export async function emptyTables(database: Database): Promise<void> {
  await database.query('truncate stamps, staged, paths, files, uploads, non_confirmed, events, inbox');
}
