import type { BlobStore } from '@indelible/blob-store';
import { inParallel } from './in-parallel.ts';

const width = 8;

/**
 * Drops staged content that is nobody's. It is no loss when this fails or never comes to run: without a claim the
 * sweep takes the content after its deadline (I7).
 * @returns how many could not be dropped
 */
export async function discardContent(
  blobStore: Pick<BlobStore, 'discard'>,
  stagedIds: readonly string[],
): Promise<number> {
  const kept = await inParallel([...new Set(stagedIds)], width, async (stagedId) => {
    try {
      await blobStore.discard(stagedId);
      return 0;
    } catch {
      return 1;
    }
  });
  return kept.reduce<number>((sum, one) => sum + one, 0);
}
