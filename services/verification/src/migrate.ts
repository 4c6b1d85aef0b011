import { migrate } from '@indelible/postgres';
import { commandMain } from '@indelible/service-runtime';
import { readMigrationConfig } from './config.ts';
import { schema, verificationMigrations } from './migrations/migrations.ts';

/** Brings the schema to the newest state; answers the names of what ran. */
export const migrateVerification = (url: string): Promise<readonly string[]> =>
  migrate({ url, schema, migrations: verificationMigrations });

if (import.meta.main)
  await commandMain(`migrate ${schema}`, async () => {
    const ran = await migrateVerification(readMigrationConfig().databaseUrl);
    console.log(`${schema}: ${ran.length === 0 ? 'up to date' : `ran ${ran.join(', ')}`}`);
  });
