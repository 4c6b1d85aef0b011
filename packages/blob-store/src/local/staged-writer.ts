import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StagedWriter } from '../blob-store.ts';
import { startCrc32c } from '../crc32c.ts';
import { StagedIdTakenError } from '../errors.ts';
import { createBlockWriter } from './block-writer.ts';
import { codeOf, ifThere, translated } from './file-faults.ts';
import { syncFolder } from './folders.ts';
import type { FreeSpace } from './free-space.ts';

const fileMode = 0o600;

/** The name of content that is still arriving. */
export const unfinishedNameOf = (file: string): string => `${file}.part`;

/**
 * Writes beside `file` and gives it its name when it is complete and durable.
 * @param space checked with every chunk: an upload of many gigabytes ends before the disk is full
 * @throws StagedIdTakenError when content is or was staged there: it is never replaced
 */
export async function openStagedWriter(file: string, space: Pick<FreeSpace, 'require'>): Promise<StagedWriter> {
  const unfinished = unfinishedNameOf(file);
  const handle = await open(unfinished, 'wx', fileMode).catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') throw new StagedIdTakenError('content is being staged under this id');
    throw error;
  });
  // Checked only now: only the holder of the unfinished name can make the finished one appear.
  if ((await ifThere(lstat(file))) !== undefined) {
    await handle.close();
    await rm(unfinished, { force: true });
    throw new StagedIdTakenError('content is staged under this id');
  }
  const checksum = startCrc32c();
  const blocks = createBlockWriter(handle);
  let open_ = true;
  const close = async (): Promise<void> => {
    if (!open_) return;
    open_ = false;
    await blocks.settled();
    await handle.close();
  };
  return {
    write: (chunk) =>
      translated('staged content could not be written', async () => {
        await space.require(dirname(file));
        await blocks.write(chunk);
        checksum.update(chunk);
      }),
    finish: () =>
      translated('staged content could not be finished', async () => {
        await blocks.flush();
        await handle.sync();
        await close();
        await rename(unfinished, file);
        await syncFolder(dirname(file));
        return { size: checksum.size, crc32c: checksum.value };
      }),
    async abort() {
      await close().catch(() => {});
      await rm(unfinished, { force: true }).catch(() => {});
      await rm(file, { force: true }).catch(() => {});
    },
  };
}
