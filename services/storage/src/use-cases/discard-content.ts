import type { BlobStore } from '@indelible/blob-store';
import { inParallel } from './in-parallel.ts';
import { defaultPatienceMs, inTime } from './patience.ts';

const width = 8;

/**
 * Drops staged content that is nobody's. It is no loss when this fails or never comes to run: without a claim the
 * sweep takes the content after its deadline (I7). So nothing waits for long when the store does not answer.
 * @returns how many could not be dropped
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
