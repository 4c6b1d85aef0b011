import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What of a release the next one has to get on with. */
export type ReleaseContents = {
  readonly version: string;
  readonly commit: string;
  /** By schema, the names of its migrations in their order. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  readonly messages: readonly {
    readonly type: string;
    readonly version: number;
    readonly topic: string;
    readonly packed: boolean;
    readonly schema: object;
  }[];
  /** Of each type of public event the JSON Schema that its subscribers and registries have. */
  readonly publicEvents: readonly { readonly name: string; readonly version: number; readonly schema: object }[];
};

type Named = { readonly name: string };

/** By schema, where its migrations are. */
const migrationsOf = {
  accounts: ['packages/accounts/src/schema.ts', 'accountsMigrations'],
  gateway: ['services/gateway/src/migrate.ts', 'migrations'],
  stamping: ['services/stamping/src/migrate.ts', 'migrations'],
  chain: ['services/chain-indexer/src/migrate.ts', 'migrations'],
  storage: ['services/storage/src/migrate.ts', 'migrations'],
  verification: ['services/verification/src/migrate.ts', 'migrations'],
  notifications: ['services/notifications/src/migrate.ts', 'migrations'],
} as const;

export const workspace = resolve(import.meta.dirname, '../../..');

/** @param root the folder of a version, with its packages installed */
export async function readMigrations<Migration extends Named>(
  root: string,
): Promise<Readonly<Record<string, readonly Migration[]>>> {
  const read: Record<string, readonly Migration[]> = {};
  // One after the other: jest cannot link modules that it is still linking for another import.
  for (const [schema, [file, name]] of Object.entries(migrationsOf)) {
    const module = (await import(join(root, file))) as Readonly<Record<string, readonly Migration[]>>;
    read[schema] = module[name] ?? [];
  }
  return read;
}

/** @param root the folder of a version, with its packages installed */
export async function readMessages(root: string): Promise<ReleaseContents['messages']> {
  type Contract = ReleaseContents['messages'][number] & { readonly packed?: boolean };
  const { allMessages } = (await import(join(root, 'packages/messages/src/index.ts'))) as {
    allMessages: readonly Contract[];
  };
  return allMessages.map(({ type, version, topic, packed = false, schema }) => ({
    type,
    version,
    topic,
    packed,
    schema: JSON.parse(JSON.stringify(schema)) as object,
  }));
}

/** @param root the folder of a version; its packages need not be installed */
export async function readPublicEvents(root: string): Promise<ReleaseContents['publicEvents']> {
  const folder = join(root, 'packages/public-events/schemas');
  const read = (await readdir(folder)).sort().map(async (file) => {
    const [, name, version] = /^(.+)\.v(\d+)\.json$/.exec(file) ?? [];
    if (name === undefined) throw new Error(`${file} is no name of a schema`);
    return { name, version: Number(version), schema: JSON.parse(await readFile(join(folder, file), 'utf8')) as object };
  });
  return Promise.all(read);
}
