import { createSeedCustody } from '@indelible/ethereum/custody';
import { createDatabase, migrate } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import { migratedTemplate, testDatabase } from '@indelible/testing';
import { accountsMigrations, accountsSchema } from '../src/schema.ts';
import type { GrantTerms } from '../src/store/open-account.ts';

export const logger = createLogger({ service: 'test', level: 'silent' });

export const terms: GrantTerms = {
  signer: createSeedCustody({ seed: Buffer.alloc(32, 9) }),
  chainId: 31337,
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  operator: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  nonceOf: async () => 0n,
};

/** A migrated schema of accounts in a database of the test file's own. */
export async function accountsDatabase() {
  const migrateAccounts = (url: string) => migrate({ url, schema: accountsSchema, migrations: accountsMigrations });
  const test = await testDatabase({ template: migratedTemplate(accountsSchema, accountsMigrations, migrateAccounts) });
  const database = createDatabase({ url: test.url, schema: accountsSchema, applicationName: 'accounts test', logger });
  return {
    database,
    async dispose() {
      await database.close();
      await test.drop();
    },
  };
}
