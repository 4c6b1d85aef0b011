import { execFile } from 'node:child_process';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Release, thisRelease } from './release.ts';

const run = promisify(execFile);
const releases = join(thisRelease.root, 'releases');

/**
 * The last release, as its commit has it, with its own packages installed: made once under `.local/releases`.
 * @throws Error when the clone has no history, or a package cannot be installed
 */
export async function formerRelease(): Promise<Release> {
  const [newest] = (await readdir(releases)).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const { version, commit } = JSON.parse(await readFile(join(releases, newest as string), 'utf8')) as {
    version: string;
    commit: string;
  };
  const root = join(thisRelease.root, '.local', 'releases', `${version}-${commit.slice(0, 12)}`);
  const release = { name: `release ${version}`, root };
  const isThere = await access(root).then(
    () => true,
    () => false,
  );
  if (isThere) return release;
  // Its folder appears only when it is whole.
  const work = `${root}.new`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const archive = join(work, 'release.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: thisRelease.root });
  await run('tar', ['--extract', `--file=${archive}`, `--directory=${work}`]);
  await rm(archive);
  await rename(work, root);
  try {
    await run('node', ['bootstrap.mjs', 'indelible', '--help'], { cwd: root, maxBuffer: 8_000_000 });
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    throw error;
  }
  return release;
}
