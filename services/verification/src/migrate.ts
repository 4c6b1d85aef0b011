import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate, migrateProgram } from '@indelible/postgres';
import { commitmentsMigration } from './migrations/0100-commitments.ts';
import { collectionsMigration } from './migrations/0101-collections.ts';
import { commitmentsByTimeMigration } from './migrations/0110-commitments-by-time.ts';
import { dotlessNames } from './migrations/0130-dotless-names.ts';
import { schema } from './schema.ts';

/** Of the tables of the event store this service uses the inbox. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  commitmentsMigration,
  collectionsMigration,
  commitmentsByTimeMigration,
  dotlessNames,
];

export const migrateVerification = (url: string): Promise<readonly string[]> => migrate({ url, schema, migrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations }]);
