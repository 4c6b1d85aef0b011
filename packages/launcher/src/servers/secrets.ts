import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Passwords of one data directory's servers, made at its first start and readable by this user alone. */
export interface Secrets {
  readonly databasePassword: string;
  readonly registryPassword: string;
  readonly redisPassword: string;
}

const names = ['databasePassword', 'registryPassword', 'redisPassword'] as const satisfies (keyof Secrets)[];

/** Reads the passwords of `dataDir`, and creates missing ones: a folder of an earlier version lacks some. */
export async function provideSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const known = parseSecrets(await readFile(file, 'utf8').catch(() => ''));
  const made = Object.fromEntries(names.map((name) => [name, known[name] ?? newPassword()])) as unknown as Secrets;
  if (names.every((name) => known[name] !== undefined)) return made;
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${file}.part`, JSON.stringify(made), { mode: 0o600 });
  await rename(`${file}.part`, file);
  return made;
}

function parseSecrets(text: string): Partial<Secrets> {
  if (text === '') return {};
  const found = JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(names.flatMap((name) => (typeof found[name] === 'string' ? [[name, found[name]]] : [])));
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
