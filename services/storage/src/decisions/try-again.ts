const firstMs = 10_000;
const longestMs = 3_600_000;
/** About a day in total. */
const mostTries = 30;

/**
 * When to retry a file that could not be moved while the blob store was available for others: less and less often, so
 * that an operator has a day to repair a single folder. Null: never, its content is given up.
 * @param tries failed so far
 */
export function tryAgainAt(tries: number, now: Date): Date | null {
  if (tries >= mostTries) return null;
  return new Date(now.getTime() + Math.min(firstMs * 2 ** Math.max(0, tries - 1), longestMs));
}

/** Rare enough that many slow files delay no other, and soon enough to notice a file shortly after it was moved. */
const mostForSlowness = 6;

/** The tries of a file after a slow one: it is retried less often, but never given up for that. */
export const triesOfSlow = (tries: number): number => Math.max(tries, Math.min(tries + 1, mostForSlowness));
