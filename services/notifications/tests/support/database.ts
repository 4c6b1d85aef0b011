import { randomBytes } from 'node:crypto';
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
import { createEventWriter } from '../../src/decisions/event-of.ts';
import { migrateNotifications, migrations } from '../../src/migrate.ts';
import { schema } from '../../src/schema.ts';

export const logger = createLogger({ service: 'notifications', level: 'silent' });

/** Of the contract of all tests. */
export const contractAddress = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
/** Seals the secrets of webhooks in all tests. */
export const webhookSealingKeys = [{ id: 'test', key: randomBytes(32) }];
export const write = createEventWriter(contractAddress);

/** A migrated database of one test file's own. */
export const notificationsDatabase = (): Promise<TestDatabase> =>
  testDatabase({ template: migratedTemplate(schema, migrations, migrateNotifications) });

export const connect = (url: string): Database => createDatabase({ url, schema, applicationName: 'test', logger });

/** None of a suite's statements reads a whole table, even if it was planned when nothing was there. Ends the recording. */
export async function expectIndexed(statements: ReturnType<typeof recordStatements>, url: string): Promise<void> {
  statements.stop();
  const texts = statements.texts();
  expect(texts.length).toBeGreaterThan(5);
  expect(await readsOfWholeTables(texts, { url, schema, settings: planning })).toEqual([]);
}
