import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkStagedId, segmentsOf } from '../blob-path.ts';
import type { BlobStore } from '../blob-store.ts';
import { BlobStoreUnavailableError, StagedContentMissingError } from '../errors.ts';
import { ifThere, translated } from './file-faults.ts';
import { createFolders, syncFolder } from './folders.ts';
import { createFreeSpace, defaultMinFreeBytes } from './free-space.ts';
import { listStaged, shardOf } from './list-staged.ts';
import { createPlacer, holds } from './place-file.ts';
import { openStagedWriter, unfinishedNameOf } from './staged-writer.ts';

/**
 * A blob store in a folder: `staging/<shard>/<staged id>` and `objects/<path>` on one file system. Folders are made
 * when they are first used, for the service's own user alone; links below the folder are not followed.
 * @param options.hardLinks false for a file system without them; one that refuses them is noticed as well
 * @param options.minFreeBytes below this, new content is refused; staged content is still stored
 */
export function createLocalBlobStore(options: {
  readonly directory: string;
  readonly hardLinks?: boolean;
  readonly minFreeBytes?: number;
}): BlobStore {
  const folders = createFolders(options.directory);
  const space = createFreeSpace(options.minFreeBytes ?? defaultMinFreeBytes);
  const placer = createPlacer(options.hardLinks ?? true);

  const stagingFolder = (stagedId: string): Promise<string> =>
    folders.make(['staging', shardOf(checkStagedId(stagedId))]);
  const stagedFile = async (stagedId: string): Promise<string> => join(await stagingFolder(stagedId), stagedId);

  async function removeStaged(file: string): Promise<void> {
    await rm(file, { force: true });
    await rm(unfinishedNameOf(file), { force: true });
  }

  return {
    stage: (stagedId) =>
      translated('content cannot be staged', async () => {
        const file = await stagedFile(stagedId);
        await space.require(dirname(file));
        return await openStagedWriter(file, space);
      }),
    readStaged: (stagedId) =>
      translated('staged content cannot be read', async () =>
        (await openFile(await stagedFile(stagedId)))?.handle.createReadStream(),
      ),
    promote: (stagedId, path, expected, { keepStaged = false } = {}) =>
      translated('content cannot be stored', async () => {
        const segments = segmentsOf(path);
        const source = await stagedFile(stagedId);
        const staged = await statOf(source);
        if (staged !== undefined && staged.size !== expected.size)
          throw new StagedContentMissingError('the staged content has another size than claimed');
        const folder = await folders.make(['objects', ...segments.slice(0, -1)]);
        const target = join(folder, segments.at(-1) ?? '');
        if (staged !== undefined && (await placed(source, target, stagedId, keepStaged))) {
          await syncFolder(folder);
          if (!keepStaged) await removeStaged(source);
          return 'stored';
        }
        const same = await holds(target, expected, staged);
        if (same === undefined && staged === undefined)
          throw new StagedContentMissingError('the content is neither staged nor stored');
        if (same === undefined) throw new BlobStoreUnavailableError('a stored file went away just now');
        if (!same) return 'exists-other';
        // A crash may have come between placing and making it durable.
        await syncFolder(folder);
        if (!keepStaged) await removeStaged(source);
        return 'exists-same';
      }),
    discard: (stagedId) =>
      translated('staged content cannot be discarded', async () => removeStaged(await stagedFile(stagedId))),
    open: (path) =>
      translated('stored content cannot be read', async () => {
        const segments = segmentsOf(path);
        const folder = await ifThere(folders.find(['objects', ...segments.slice(0, -1)]));
        if (folder === undefined) return undefined;
        const file = await openFile(join(folder, segments.at(-1) ?? ''));
        return file === undefined ? undefined : { stream: file.handle.createReadStream(), size: file.size };
      }),
    listStaged: (page) =>
      translated('staged content cannot be listed', async () => listStaged(await folders.make(['staging']), page)),
    async check() {
      try {
        const folder = await folders.make(['staging']);
        await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
        return await space.has(folder);
      } catch {
        return false;
      }
    },
    async requirePlace() {
      const found = await stat(options.directory).catch(() => undefined);
      if (found?.isDirectory() !== true)
        throw new BlobStoreUnavailableError(`BLOB_STORE_DIRECTORY: there is no folder ${options.directory}`);
    },
  };

  /** Another replica may promote the same content at the same moment: then only the target exists. */
  async function placed(source: string, target: string, stagedId: string, keepStaged: boolean): Promise<boolean> {
    return (await ifThere(placer.place(source, target, stagedId, keepStaged))) ?? false;
  }
}

async function statOf(file: string): Promise<Stats | undefined> {
  const found = await ifThere(lstat(file));
  return found?.isFile() === true ? found : undefined;
}

async function openFile(file: string): Promise<{ handle: FileHandle; size: number } | undefined> {
  if ((await statOf(file)) === undefined) return undefined;
  const handle = await ifThere(open(file, constants.O_RDONLY | constants.O_NOFOLLOW));
  return handle === undefined ? undefined : { handle, size: (await handle.stat()).size };
}
