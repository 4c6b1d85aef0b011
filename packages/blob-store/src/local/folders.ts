import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobStoreUnavailableError, InvalidBlobPathError } from '../errors.ts';

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

export type Folders = {
  /** The folder of these segments below the root: it exists, survives a crash, and no link leads out of the root. */
  make(segments: readonly string[]): Promise<string>;
  /** The same folder when it is there already. */
  find(segments: readonly string[]): Promise<string>;
};

/** @param directory the store's root; it may itself be reached by links, what is below may not */
export function createFolders(directory: string): Folders {
  const durable = new Set<string>();
  let root: Promise<string> | undefined;

  async function makeRoot(): Promise<string> {
    try {
      await mkdir(directory, { recursive: true, mode: folderMode });
      return await realpath(directory);
    } catch (error) {
      throw new BlobStoreUnavailableError('the folder of the blob store is not there', { cause: error });
    }
  }
  async function rootPath(): Promise<string> {
    root ??= makeRoot();
    try {
      return await root;
    } catch (error) {
      root = undefined;
      throw error;
    }
  }
  async function checkNoLinks(folder: string): Promise<string> {
    if ((await realpath(folder)) !== folder) throw new InvalidBlobPathError('a link stands in the path');
    return folder;
  }

  return {
    async make(segments) {
      const base = await rootPath();
      const folder = join(base, ...segments);
      await mkdir(folder, { recursive: true, mode: folderMode });
      await checkNoLinks(folder);
      if (durable.has(folder)) return folder;
      // Each entry on the way, also one that another call has just made and not yet synced.
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
