import { createDatabase, type Database, planning } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import {
  migratedTemplate,
  readsOfWholeTables,
  type recordStatements,
  type TestDatabase,
  testDatabase,
} from '@indelible/testing';
import { expect } from '@jest/globals';
import { migrateStorage, migrations } from '../../src/migrate.ts';
import { schema } from '../../src/schema.ts';

export const logger = createLogger({ service: 'storage', level: 'silent' });

/** A migrated database of one test file's own. */
export const storageDatabase = (): Promise<TestDatabase> =>
  testDatabase({ template: migratedTemplate(schema, migrations, migrateStorage) });

export const connect = (url: string): Database => createDatabase({ url, schema, applicationName: 'test', logger });

export async function emptyTables(database: Database): Promise<void> {
  await database.query('truncate stamps, staged, paths, files, uploads, non_confirmed, events, inbox');
}

/** None of a suite's statements reads a whole table, even if it was planned when nothing was there. Ends the recording. */
export async function expectIndexed(statements: ReturnType<typeof recordStatements>, url: string): Promise<void> {
  statements.stop();
  const texts = statements.texts();
  expect(texts.length).toBeGreaterThan(5);
  expect(await readsOfWholeTables(texts, { url, schema, settings: planning })).toEqual([]);
}
