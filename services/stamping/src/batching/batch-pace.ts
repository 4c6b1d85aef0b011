/** In times of the linger, while no batch is in flight. */
const shortestGap = 2;
/** The last quarter of the batches that may be in flight is for blocks that are long in coming: so many times as far apart, up to this time. */
const growth = 200;
const longestMs = 4_000;
const usualShare = 3 / 4;

/**
 * When a lane may close its next batch. The more batches wait for a block, the longer one is filled, so that transactions of a block stay few;
 * and before as many are in flight as may be, which would make all that comes wait for the block and so miss it, the gaps grow to
 * seconds. They count from the batch before: what comes later than that is not held back.
 */
export function createBatchPace(settings: { readonly lingerMs: number; readonly maxInFlight: number }) {
  const { lingerMs, maxInFlight } = settings;
  const usual = maxInFlight * usualShare;
  let closedAt = Number.NEGATIVE_INFINITY;

  function gapMs(inFlight: number): number {
    const scarcity = Math.max(0, inFlight - usual) / (maxInFlight - usual);
    const usualGap = lingerMs * shortestGap * (1 + inFlight / 4);
    return Math.min(usualGap * growth ** scarcity, Math.max(usualGap, longestMs));
  }

  return {
    /** A batch was closed. */
    closed(nowMs: number): void {
      closedAt = nowMs;
    },
    /** How long it is until the next one may be. @param inFlight batches that wait for a block */
    nextMs: (inFlight: number, nowMs: number): number => Math.max(0, closedAt + gapMs(inFlight) - nowMs),
  };
}
