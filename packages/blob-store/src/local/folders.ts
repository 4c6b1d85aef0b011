import { mkdir, open, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobStoreUnavailableError, InvalidBlobPathError } from '../errors.ts';
import { codeOf } from './file-faults.ts';

const folderMode = 0o700;
/** Folders known to be durable; forgotten all at once when there are too many, which costs some syncs. */
const maxKnown = 10_000;

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and those above it, but never the base: its absence is a fault. */
async function makeBelow(base: string, folder: string): Promise<void> {
  if (folder === base) return;
  try {
    await mkdir(folder, { mode: folderMode });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(folder) === base) throw error;
    await makeBelow(base, dirname(folder));
    await makeBelow(base, folder);
  }
}

export type Folders = {
  /** The folder of these segments below the root: it exists, survives a crash, and no link leads out of the root. */
  make(segments: readonly string[]): Promise<string>;
  /** The same folder when it is there already. */
  find(segments: readonly string[]): Promise<string>;
};

type Root = { readonly path: string; readonly inode: number };

/** @param directory the store's root; it may itself be reached by links, what is below may not */
export function createFolders(directory: string): Folders {
  const durable = new Set<string>();
  let root: Promise<Root> | undefined;

  async function makeRoot(): Promise<Root> {
    try {
      await mkdir(directory, { recursive: true, mode: folderMode });
      const path = await realpath(directory);
      return { path, inode: (await stat(path)).ino };
    } catch (error) {
      throw new BlobStoreUnavailableError('the folder of the blob store is not there', { cause: error });
    }
  }
  async function rootPath(): Promise<string> {
    root ??= makeRoot();
    let made: Root;
    try {
      made = await root;
    } catch (error) {
      root = undefined;
      throw error;
    }
    // Created once, never again: in place of an unmounted disk, a new folder would take content that is lost later, and
    // the disk's content would seem missing. The device number may change on remount.
    const found = await stat(made.path).catch(() => undefined);
    if (found?.ino !== made.inode) throw new BlobStoreUnavailableError('the folder of the blob store is away');
    return made.path;
  }
  async function checkNoLinks(folder: string): Promise<string> {
    if ((await realpath(folder)) !== folder) throw new InvalidBlobPathError('the path contains a link');
    return folder;
  }

  return {
    async make(segments) {
      const base = await rootPath();
      const folder = join(base, ...segments);
      await makeBelow(base, folder);
      // It may have been removed or replaced by another disk meanwhile.
      await rootPath();
      await checkNoLinks(folder);
      if (durable.has(folder)) return folder;
      // Each entry on the way, even if another call has just created but not yet synced it.
      for (let step = dirname(folder); step.length >= base.length; step = dirname(step)) await syncFolder(step);
      if (durable.size >= maxKnown) durable.clear();
      durable.add(folder);
      return folder;
    },
    async find(segments) {
      return await checkNoLinks(join(await rootPath(), ...segments));
    },
  };
}
