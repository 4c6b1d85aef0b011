import { eventStoreMigrations } from '@indelible/event-store';
import type { Migration } from '@indelible/postgres';
import { logMigration } from './0100-log.ts';
import { stampOrderMigration } from './0105-stamp-order.ts';
import { webhooksMigration } from './0110-webhooks.ts';
import { webhookSealsMigration } from './0115-webhook-seals.ts';
import { webhookBacklogsMigration } from './0116-webhook-backlogs.ts';

export const schema = 'notifications';

/** In the order they run; of the event store's tables this service uses the inbox. */
export const notificationsMigrations: readonly Migration[] = [
  ...eventStoreMigrations,
  logMigration,
  stampOrderMigration,
  webhooksMigration,
  webhookSealsMigration,
  webhookBacklogsMigration,
];
