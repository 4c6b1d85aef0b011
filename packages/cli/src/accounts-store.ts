import { type AccountStore, accountsSchema, createAccountStore } from '@indelible/accounts';
import { createDatabase } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import type { StoreSettings } from './config.ts';

/** Lends the store of accounts to `use`; its connections end with it. */
export async function withAccountStore<Result>(
  settings: StoreSettings,
  use: (store: AccountStore) => Promise<Result>,
): Promise<Result> {
  const database = createDatabase({
    url: settings.databaseUrl,
    schema: accountsSchema,
    applicationName: 'indelible command',
    maxConnections: 2,
    // Standard output is for results, and errors are printed once, where the command ends.
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  try {
    return await use(createAccountStore({ database }));
  } finally {
    await database.close();
  }
}
