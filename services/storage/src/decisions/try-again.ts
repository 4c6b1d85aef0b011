const firstMs = 10_000;
const longestMs = 3_600_000;
/** About a day with these times. */
const mostTries = 30;

/**
 * When a file that could not be moved is tried again, while the blob store is available for others: later each time, so that an
 * operator has a day to mend what is wrong with one folder. Null: never, its content is given up.
 * @param tries that have failed
 */
export function tryAgainAt(tries: number, now: Date): Date | null {
  if (tries >= mostTries) return null;
  return new Date(now.getTime() + Math.min(firstMs * 2 ** Math.max(0, tries - 1), longestMs));
}

/** Seldom enough that many slow files delay no other, and soon enough that one is noted soon after it was moved. */
const mostForSlowness = 6;

/** The tries of a file after one in which it was slow: it is tried less often, but never given up for that. */
export const triesOfSlow = (tries: number): number => Math.max(tries, Math.min(tries + 1, mostForSlowness));
