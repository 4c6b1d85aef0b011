import { accountsMigrations } from '@indelible/accounts';
import { migratedTemplate, type TestDatabase, testDatabase } from '@indelible/testing';
import { migrateGateway, migrations } from '../src/migrate.ts';

/** A migrated database of one test file's own. */
export const gatewayDatabase = (): Promise<TestDatabase> =>
  testDatabase({ template: migratedTemplate('gateway', [...accountsMigrations, ...migrations], migrateGateway) });
