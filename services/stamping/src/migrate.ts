import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate } from '@indelible/postgres';
import { commandMain, readEnvironment } from '@indelible/service-runtime';
import { databaseUrl } from './config.ts';
import { stampingTables } from './migrations/0100-stamping.ts';
import { hostileChainMigration } from './migrations/0101-hostile-chain.ts';
import { waitingStamps } from './migrations/0102-waiting-stamps.ts';
import { uncheckedBatches } from './migrations/0103-unchecked-batches.ts';
import { identityOrder } from './migrations/0110-identities.ts';
import { chainFactsMigration } from './migrations/0111-chain-facts.ts';
import { unserviceableAccounts } from './migrations/0112-unserviceable-accounts.ts';
import { requestEvents } from './migrations/0113-request-events.ts';
import { lanesMigration } from './migrations/0120-lanes.ts';
import { settledMigration } from './migrations/0121-settled.ts';
import { dotlessNames } from './migrations/0130-dotless-names.ts';
import { unhindered } from './migrations/0140-unhindered.ts';
import { references } from './migrations/0150-references.ts';
import { resubmissions } from './migrations/0151-resubmissions.ts';
import { schema } from './schema.ts';

export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  stampingTables,
  hostileChainMigration,
  waitingStamps,
  uncheckedBatches,
  identityOrder,
  chainFactsMigration,
  unserviceableAccounts,
  requestEvents,
  lanesMigration,
  settledMigration,
  dotlessNames,
  unhindered,
  references,
  resubmissions,
];

export const migrateStamping = (url: string): Promise<readonly string[]> => migrate({ url, schema, migrations });

if (import.meta.main)
  await commandMain(`migrate ${schema}`, async () => {
    const read = readEnvironment(process.env);
    const url = databaseUrl(read);
    read.finish();
    const ran = await migrateStamping(url);
    console.log(ran.length === 0 ? `${schema}: up to date` : `${schema}: ran ${ran.join(', ')}`);
  });
