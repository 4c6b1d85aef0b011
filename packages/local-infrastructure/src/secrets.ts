import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Passwords of one data directory's servers, made at its first start and readable by this user alone. */
export interface Secrets {
  readonly databasePassword: string;
  readonly registryPassword: string;
}

/** Reads the passwords of `dataDir`, or makes them. */
export async function provideSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const known = parseSecrets(await readFile(file, 'utf8').catch(() => ''));
  if (known !== undefined) return known;
  const made = { databasePassword: newPassword(), registryPassword: newPassword() };
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${file}.part`, JSON.stringify(made), { mode: 0o600 });
  await rename(`${file}.part`, file);
  return made;
}

function parseSecrets(text: string): Secrets | undefined {
  if (text === '') return undefined;
  const { databasePassword, registryPassword } = JSON.parse(text) as Record<string, unknown>;
  return typeof databasePassword === 'string' && typeof registryPassword === 'string'
    ? { databasePassword, registryPassword }
    : undefined;
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
