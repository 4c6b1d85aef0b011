import { migrate, migrateProgram } from '@indelible/postgres';
import { schema, verificationMigrations } from './migrations/migrations.ts';

/** Brings the schema to the newest state; answers the names of what ran. */
export const migrateVerification = (url: string): Promise<readonly string[]> =>
  migrate({ url, schema, migrations: verificationMigrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations: verificationMigrations }]);
