import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { WORKSPACE } from './environment.ts';

/** Every server that test files share. A registry keeps its schemas in Postgres. */
export const sharedServers = ['postgres', 'redis', 'kafka', 'registry'] as const;
export type SharedServer = (typeof sharedServers)[number];

/** The servers behind each helper of this package: users of a shared server name one of these. */
const serversOf: Readonly<Record<string, readonly SharedServer[]>> = {
  testDatabase: ['postgres'],
  testRedis: ['redis'],
  testKafka: ['postgres', 'kafka', 'registry'],
};
const helper = new RegExp(`\\b(${Object.keys(serversOf).join('|')})\\b`, 'g');
const ownImport = /\b(?:from|import)\s*\(?\s*'(\.[^']*\.ts)'/g;
/** Options of jest that choose tests within files, or how they run. */
const isNameOption = (arg: string): boolean => arg === '-t' || arg === '--testNamePattern';
const harmlessOptions = ['--verbose', '-i', '--runInBand'];

/**
 * The servers that the test files of these arguments of jest use, found in their text and in that of what they import by a relative
 * path; all servers when options choose the files, or a pattern matches none of them: jest also looks for it in absolute paths. A run of few files then waits for no server that it does not need.
 */
export async function neededServers(args: readonly string[], root = WORKSPACE): Promise<SharedServer[]> {
  const paths = args.filter(
    (arg, at) => ![arg, args[at - 1] ?? ''].some(isNameOption) && !harmlessOptions.includes(arg),
  );
  if (paths.length === 0 || paths.some((arg) => arg.startsWith('-'))) return [...sharedServers];
  const patterns = paths.map((path) => new RegExp(relative(root, resolve(root, path)) || '.', 'i'));
  const tests = await listTests(root);
  const chosen = patterns.map((pattern) => tests.filter((file) => pattern.test(file)));
  if (chosen.some((files) => files.length === 0)) return [...sharedServers];
  const found = new Set<SharedServer>();
  const seen = new Set<string>();
  const look = async (file: string): Promise<void> => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const [name] of text.matchAll(helper)) for (const server of serversOf[name] ?? []) found.add(server);
    await Promise.all([...text.matchAll(ownImport)].map(([, path = '']) => look(resolve(dirname(file), path))));
  };
  await Promise.all(chosen.flat().map((file) => look(join(root, file))));
  return sharedServers.filter((server) => found.has(server));
}

/** By paths from the root. */
async function listTests(root: string): Promise<string[]> {
  const pattern = '{bench,packages,services,tests}/**/*.test.ts';
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: root, exclude: ['**/node_modules'] })) files.push(file);
  return files;
}
