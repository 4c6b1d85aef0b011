import { migrate, migrateProgram } from '@indelible/postgres';
import { schema, storageMigrations } from './migrations/migrations.ts';

/** Brings the schema to the newest state; answers the names of what ran. */
export const migrateStorage = (url: string): Promise<readonly string[]> =>
  migrate({ url, schema, migrations: storageMigrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations: storageMigrations }]);
