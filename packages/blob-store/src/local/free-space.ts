import { statfs } from 'node:fs/promises';
import { BlobStoreUnavailableError } from '../errors.ts';

/** Space reserved for others on the same disk (Kafka, Postgres): below it no new content is accepted. */
export const defaultMinFreeBytes = 512 * 1024 * 1024;
/** How long a check is valid: uploads of half a second stay far below the reserve. */
const validMs = 500;

export type FreeSpace = {
  /** Whether new content may be written to the folder's disk. */
  has(folder: string): Promise<boolean>;
  /** @throws BlobStoreUnavailableError when it may not */
  require(folder: string): Promise<void>;
};

/** The free space below which no new content is accepted; checked at most twice a second, however many write. */
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
