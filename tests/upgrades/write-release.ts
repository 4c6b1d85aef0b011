import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReleaseContents, readMessages, readMigrations, readPublicEvents, workspace } from './support/contents.ts';

/**
 * When a version is released: writes down what the next one has to get on with, `releases/<version>.json`.
 *
 *     npx node tests/upgrades/write-release.ts VERSION COMMIT [FOLDER]
 */
const [version, commit, root = workspace] = process.argv.slice(2);
if (version === undefined || !/^[0-9a-f]{40}$/.test(commit ?? ''))
  throw new Error('usage: node tests/upgrades/write-release.ts VERSION COMMIT [FOLDER]');
const migrations = Object.fromEntries(
  Object.entries(await readMigrations(root)).map(([schema, all]) => [schema, all.map(({ name }) => name)]),
);
const contents: ReleaseContents = {
  version,
  commit: commit as string,
  migrations,
  messages: await readMessages(root),
  publicEvents: await readPublicEvents(root),
};
await writeFile(join(workspace, 'releases', `${version}.json`), `${JSON.stringify(contents, null, 2)}\n`);
