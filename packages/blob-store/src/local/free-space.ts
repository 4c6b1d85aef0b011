import { statfs } from 'node:fs/promises';
import { BlobStoreUnavailableError } from '../errors.ts';

/** Room that is left for others on the same disk (Kafka, Postgres) when no new content is taken any more. */
export const defaultMinFreeBytes = 512 * 1024 * 1024;
/** So long a look at the disk serves: uploads of half a second stay far below the room that is left. */
const validMs = 500;

export type FreeSpace = {
  /** Whether new content may be written to the folder's disk. */
  has(folder: string): Promise<boolean>;
  /** @throws BlobStoreUnavailableError when it may not */
  require(folder: string): Promise<void>;
};

/** The floor of free space below which no new content is taken; looked at twice a second at most, however many write. */
export function createFreeSpace(
  minFreeBytes: number,
  free: (folder: string) => Promise<number> = freeBytes,
): FreeSpace {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<boolean> = Promise.resolve(true);
  const has = (folder: string): Promise<boolean> => {
    if (performance.now() - lookedAt >= validMs) {
      lookedAt = performance.now();
      looking = free(folder).then((bytes) => bytes >= minFreeBytes);
    }
    return looking;
  };
  return {
    has,
    async require(folder) {
      if (!(await has(folder))) throw new BlobStoreUnavailableError('the disk of the blob store is nearly full');
    },
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
