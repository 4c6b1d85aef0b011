import { eventStoreMigrations } from '@indelible/event-store';
import type { Migration } from '@indelible/postgres';
import { commitmentsMigration } from './0100-commitments.ts';
import { collectionsMigration } from './0101-collections.ts';
import { commitmentsByTimeMigration } from './0110-commitments-by-time.ts';
import { dotlessNames } from './0130-dotless-names.ts';

export const schema = 'verification';

/** In the order they run; of the event store's tables this service uses the inbox. */
export const verificationMigrations: readonly Migration[] = [
  ...eventStoreMigrations,
  commitmentsMigration,
  collectionsMigration,
  commitmentsByTimeMigration,
  dotlessNames,
];
