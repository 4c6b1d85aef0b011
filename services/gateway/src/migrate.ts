import { accountsMigrations, accountsSchema } from '@indelible/accounts';
import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate, migrateProgram } from '@indelible/postgres';
import { gatewayTables } from './migrations/0100-gateway.ts';
import { idempotencyKeysTable } from './migrations/0101-idempotency-keys.ts';
import { receiptColumns } from './migrations/0102-receipt-columns.ts';
import { submittedBatches } from './migrations/0103-submitted-batches.ts';
import { collectionsByAge } from './migrations/0120-collections-by-age.ts';
import { dotlessNames } from './migrations/0130-dotless-names.ts';
import { awaitedFiles } from './migrations/0131-awaited-files.ts';
import { requestsWithoutStamp } from './migrations/0140-requests-without-stamp.ts';
import { schema } from './schema.ts';

export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  gatewayTables,
  idempotencyKeysTable,
  receiptColumns,
  submittedBatches,
  collectionsByAge,
  dotlessNames,
  awaitedFiles,
  requestsWithoutStamp,
];

/** Migrates the gateway's own schema, and that of accounts. Returns the names of what ran. */
export async function migrateGateway(url: string): Promise<readonly string[]> {
  const accounts = await migrate({ url, schema: accountsSchema, migrations: accountsMigrations });
  const own = await migrate({ url, schema, migrations });
  return [...accounts.map((name) => `${accountsSchema} ${name}`), ...own.map((name) => `${schema} ${name}`)];
}

if (import.meta.main)
  await migrateProgram(schema, [
    { schema: accountsSchema, migrations: accountsMigrations },
    { schema, migrations },
  ]);
