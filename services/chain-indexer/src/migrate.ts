import { eventStoreMigrations } from '@indelible/event-store';
import { type Migration, migrate, migrateProgram } from '@indelible/postgres';
import { chainTables } from './migrations/0100-chain.ts';
import { safeBlocks } from './migrations/0101-safe-blocks.ts';
import { largeMessages } from './migrations/0102-large-messages.ts';
import { republish } from './migrations/0110-republish.ts';
import { schema } from './schema.ts';

export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  chainTables,
  safeBlocks,
  largeMessages,
  republish,
];

export const migrateChainIndexer = (url: string): Promise<readonly string[]> => migrate({ url, schema, migrations });

if (import.meta.main) await migrateProgram(schema, [{ schema, migrations }]);
