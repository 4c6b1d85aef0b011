import type { BlobStore } from '@indelible/blob-store';
import { inParallel } from './in-parallel.ts';
import { defaultPatienceMs, inTime } from './patience.ts';

const width = 8;

/**
 * Discards unclaimed staged content. Nothing is lost when this fails or does not run: the sweep removes unclaimed
 * content after its deadline (I7). So nothing waits long for a store that does not respond.
 * @returns how many could not be discarded
 */
export async function discardContent(
  blobStore: Pick<BlobStore, 'discard'>,
  stagedIds: readonly string[],
  patienceMs: number = defaultPatienceMs,
): Promise<number> {
  const deadline = performance.now() + patienceMs;
  const kept = await inParallel([...new Set(stagedIds)], width, async (stagedId) => {
    const remaining = deadline - performance.now();
    if (remaining <= 0) return 1;
    try {
      await inTime(remaining, blobStore.discard(stagedId));
      return 0;
    } catch {
      return 1;
    }
  });
  return kept.reduce<number>((sum, one) => sum + one, 0);
}
