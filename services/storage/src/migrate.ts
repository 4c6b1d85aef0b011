import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate, migrateProgram } from '@indelible/postgres';
import { filesMigration } from './migrations/0100-files.ts';
import { uploadsMigration } from './migrations/0101-uploads.ts';
import { nonConfirmedMigration } from './migrations/0102-non-confirmed.ts';
import { triesMigration } from './migrations/0110-tries.ts';
import { referencesMigration } from './migrations/0120-references.ts';
import { ownContentMigration } from './migrations/0121-own-content.ts';
import { schema } from './schema.ts';

export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  filesMigration,
  uploadsMigration,
  nonConfirmedMigration,
  triesMigration,
  referencesMigration,
  ownContentMigration,
];

export const migrateStorage = (url: string): Promise<readonly string[]> => migrate({ url, schema, migrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations }]);
