import { migrate, migrateProgram } from '@indelible/postgres';
import { notificationsMigrations, schema } from './migrations/migrations.ts';

/** Brings the schema to the newest state; answers the names of what ran. */
export const migrateNotifications = (url: string): Promise<readonly string[]> =>
  migrate({ url, schema, migrations: notificationsMigrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations: notificationsMigrations }]);
