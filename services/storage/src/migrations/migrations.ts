import { eventStoreMigrations } from '@indelible/event-store';
import type { Migration } from '@indelible/postgres';
import { filesMigration } from './0100-files.ts';
import { uploadsMigration } from './0101-uploads.ts';
import { nonConfirmedMigration } from './0102-non-confirmed.ts';
import { triesMigration } from './0110-tries.ts';
import { referencesMigration } from './0120-references.ts';
import { ownContentMigration } from './0121-own-content.ts';

export const schema = 'storage';

/** In the order they run. */
export const storageMigrations: readonly Migration[] = [
  ...eventStoreMigrations,
  filesMigration,
  uploadsMigration,
  nonConfirmedMigration,
  triesMigration,
  referencesMigration,
  ownContentMigration,
];
