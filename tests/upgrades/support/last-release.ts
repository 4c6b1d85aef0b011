import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReleaseContents, workspace } from './contents.ts';

const folder = join(workspace, 'releases');

/** The newest of `releases/`, by its version. */
export async function lastRelease(): Promise<ReleaseContents> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const newest = files.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
  if (newest === undefined) throw new Error('releases/ is empty');
  return JSON.parse(await readFile(join(folder, newest), 'utf8')) as ReleaseContents;
}
