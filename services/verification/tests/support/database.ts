import { tmpdir } from 'node:os';
import { createDatabase, type Database } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { migratedTemplate, type TestDatabase, testDatabase } from '@indelible/testing';
import { createFairSeats } from '../../src/matching/fair-seats.ts';
import { createMatchingSessions } from '../../src/matching/sessions.ts';
import { migrateVerification, migrations } from '../../src/migrate.ts';
import { schema } from '../../src/schema.ts';
import { createDiskBudget } from '../../src/spooling/disk-budget.ts';
import type { VerifyPorts } from '../../src/use-cases/verify-collection.ts';

export const logger = createLogger({ service: 'verification', level: 'silent' });

/** A migrated database of one test file's own. */
export const verificationDatabase = (): Promise<TestDatabase> =>
  testDatabase({ template: migratedTemplate(schema, migrations, migrateVerification) });

export const connect = (url: string): Database => createDatabase({ url, schema, applicationName: 'test', logger });

export function openSessions(url: string, maxSessions = 2): VerifyPorts['sessions'] {
  const of = (applicationName: string) => createMatchingSessions({ url, schema, applicationName, maxSessions, logger });
  return { small: of('test small'), large: of('test large') };
}

export async function closeSessions({ small, large }: VerifyPorts['sessions']): Promise<void> {
  await Promise.all([small.close(), large.close()]);
}

/** Places and room as a service has them. */
export const roomOf = (maxBytes = 2 ** 30): Pick<VerifyPorts, 'places' | 'spooling'> => ({
  places: createFairSeats({ seats: 256, perAccount: 32, maxWaiting: 64, waitMs: 30_000 }),
  spooling: { directory: tmpdir(), budget: createDiskBudget(maxBytes) },
});

export async function emptyTables(database: Database): Promise<void> {
  await database.query('truncate commitments, cursors, collections, inbox');
}
