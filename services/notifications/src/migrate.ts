import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate, migrateProgram } from '@indelible/postgres';
import { logMigration } from './migrations/0100-log.ts';
import { stampOrderMigration } from './migrations/0105-stamp-order.ts';
import { webhooksMigration } from './migrations/0110-webhooks.ts';
import { webhookSealsMigration } from './migrations/0115-webhook-seals.ts';
import { webhookBacklogsMigration } from './migrations/0116-webhook-backlogs.ts';
import { schema } from './schema.ts';

/** Of the event store's tables, this service uses the inbox. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  logMigration,
  stampOrderMigration,
  webhooksMigration,
  webhookSealsMigration,
  webhookBacklogsMigration,
];

export const migrateNotifications = (url: string): Promise<readonly string[]> => migrate({ url, schema, migrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations }]);
