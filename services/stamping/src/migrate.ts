import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate, migrateProgram } from '@indelible/postgres';
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
import { waitingSince } from './migrations/0160-waiting-since.ts';
import { draining } from './migrations/0161-draining.ts';
import { traces } from './migrations/0162-traces.ts';
import { placesOfSets } from './migrations/0170-places-of-sets.ts';
import { accountSpending } from './migrations/0180-account-spending.ts';
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
  waitingSince,
  draining,
  traces,
  placesOfSets,
  accountSpending,
];

export const migrateStamping = (url: string): Promise<readonly string[]> => migrate({ url, schema, migrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations }]);
