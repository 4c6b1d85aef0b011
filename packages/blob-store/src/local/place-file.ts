import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { copyFile, link, lstat, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ContentFacts } from '../blob-store.ts';
import { startCrc32c } from '../crc32c.ts';
import { BlobStoreUnavailableError } from '../errors.ts';
import { codeOf, ifThere } from './file-faults.ts';
import { syncFolder } from './folders.ts';

/** What file systems without hard links answer. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** How long a reservation may lack its mark; an older one is an ordinary empty file. */
const markingMs = 5_000;

export type Placer = {
  /** Gives the staged file its final name; false if that is taken. The old name may stay, and does with `keep`. */
  place(source: string, target: string, stagedId: string, keep: boolean): Promise<boolean>;
};

/** By hard link, which atomically takes only a free name; without links, by reserving the name first. */
export function createPlacer(hardLinks: boolean): Placer {
  let linking = hardLinks;
  return {
    async place(source, target, stagedId, keep) {
      if (linking)
        try {
          await link(source, target);
          return true;
        } catch (error) {
          const code = codeOf(error) ?? '';
          if (code === 'EEXIST') return false;
          if (!withoutLinks.has(code)) throw error;
          linking = false;
        }
      if (!(await reserve(target, `reserved for ${stagedId}\n`))) return false;
      await rename(keep ? await copied(source) : source, target);
      return true;
    },
  };
}

/** A durable copy beside the staged file, under its own staged id: the sweep removes what a crash leaves of it. */
async function copied(source: string): Promise<string> {
  const id = randomUUID();
  // Staging is sharded by the last two digits: the copy is in the folder where its id is looked for.
  const copy = join(dirname(source), `${id.slice(0, -2)}${basename(source).slice(-2)}`);
  await copyFile(source, copy, constants.COPYFILE_EXCL);
  const handle = await open(copy, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return copy;
}

/**
 * Reserves a free name with a file that holds the mark. Only a caller with the same mark may rename over it, so the
 * next attempt repairs a crash between the two steps and nothing else is ever replaced.
 */
async function reserve(target: string, mark: string): Promise<boolean> {
  try {
    const handle = await open(target, 'wx', 0o600);
    try {
      await handle.writeFile(mark);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const found = await lstat(target);
  if (found.isFile() && found.size === 0 && Date.now() - found.mtimeMs < markingMs)
    throw new BlobStoreUnavailableError('someone may be reserving this name just now');
  if (!found.isFile() || found.size !== Buffer.byteLength(mark)) return false;
  const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return (await handle.readFile('utf8')) === mark;
  } finally {
    await handle.close();
  }
}

/** Whether a file holds this content; `undefined` if there is no file. Links do not count. */
export async function holds(file: string, expected: ContentFacts, staged?: Stats): Promise<boolean | undefined> {
  const found = await ifThere(lstat(file));
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size !== expected.size) return false;
  if (staged !== undefined && staged.ino === found.ino && staged.dev === found.dev) return true;
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const checksum = startCrc32c();
  for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024 })) checksum.update(chunk as Buffer);
  return checksum.value === expected.crc32c;
}
