/** Multiple of the linger, while no batch is in flight. */
const shortestGap = 2;
/** Over the last quarter of the allowed batches in flight, kept for slow blocks, the gap grows by up to this factor. */
const growth = 200;
const longestMs = 4_000;
const usualShare = 3 / 4;

/**
 * Decides when a lane may close its next batch. The more batches wait for a block, the longer each is filled, so that a
 * block has few of our transactions. Near the limit of batches in flight, where all new stamps would wait for a block
 * and then miss it, gaps grow to seconds. Gaps count from the previous batch: later stamps are not delayed.
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
    closed(nowMs: number): void {
      closedAt = nowMs;
    },
    /** Time until the next batch may close. @param inFlight batches that wait for a block */
    nextMs: (inFlight: number, nowMs: number): number => Math.max(0, closedAt + gapMs(inFlight) - nowMs),
  };
}
