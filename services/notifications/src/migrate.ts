import { migrate } from '@indelible/postgres';
import { commandMain } from '@indelible/service-runtime';
import { readMigrationConfig } from './config.ts';
import { notificationsMigrations, schema } from './migrations/migrations.ts';

/** Brings the schema to the newest state; answers the names of what ran. */
export const migrateNotifications = (url: string): Promise<readonly string[]> =>
  migrate({ url, schema, migrations: notificationsMigrations });

if (import.meta.main)
  await commandMain(`migrate ${schema}`, async () => {
    const ran = await migrateNotifications(readMigrationConfig().databaseUrl);
    console.log(`${schema}: ${ran.length === 0 ? 'up to date' : `ran ${ran.join(', ')}`}`);
  });
