import { createHash } from 'node:crypto';
import type { BlobStore } from '@indelible/blob-store';
import { crc32c } from '@node-rs/crc32';

/** What the doctor reads of the blob store. */
export type BlobPort = Pick<BlobStore, 'open' | 'readStaged'>;

/** What a stored file is. `sha3` only on request. */
export type ContentFound = { readonly size: number; readonly crc32c: number; readonly sha3: string | undefined };

/**
 * Reads a stored file to its end, piece by piece; undefined when none is there. A file of another size is not read.
 * @throws BlobStoreUnavailableError, BlobStoreRefusedError, InvalidBlobPathError
 */
export async function readContent(
  blobs: BlobPort,
  path: string,
  expected: { readonly size: number; readonly sha3: boolean },
): Promise<ContentFound | { readonly size: number } | undefined> {
  const file = await blobs.open(path);
  if (file === undefined) return undefined;
  if (file.size !== expected.size) {
    file.stream.destroy();
    return { size: file.size };
  }
  const hash = expected.sha3 ? createHash('sha3-256') : undefined;
  let checksum = 0;
  let size = 0;
  for await (const chunk of file.stream as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    checksum = crc32c(chunk, checksum);
    hash?.update(chunk);
  }
  return { size, crc32c: checksum, sha3: hash === undefined ? undefined : `0x${hash.digest('hex')}` };
}

/** Whether finished staged content is there; nothing of it is read. */
export async function isStaged(blobs: BlobPort, stagedId: string): Promise<boolean> {
  const stream = await blobs.readStaged(stagedId);
  stream?.on('error', () => {}).destroy();
  return stream !== undefined;
}

/** Runs `act` for each item, a few at once, in no order. The first fault is thrown once all have ended. */
export async function eachOf<Item>(
  items: readonly Item[],
  width: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const work = Array.from({ length: width }, async () => {
    for (const item of waiting) await act(item);
  });
  await Promise.allSettled(work);
  await Promise.all(work);
}
