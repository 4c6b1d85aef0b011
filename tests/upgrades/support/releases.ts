import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReleaseContents, workspace } from './contents.ts';

const folder = join(workspace, 'releases');

/** All of `releases/`, by version. */
export async function allReleases(): Promise<readonly ReleaseContents[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const sorted = files.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return Promise.all(
    sorted.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as ReleaseContents),
  );
}

export async function lastRelease(): Promise<ReleaseContents> {
  const newest = (await allReleases()).at(-1);
  if (newest === undefined) throw new Error('releases/ is empty');
  return newest;
}
