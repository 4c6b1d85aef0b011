/** For late requests there are so many times the places, in which accounts have their shares as well. */
export const lateFactor = 4;

/**
 * How many stamps of one account may wait: what is free. So one account alone takes half of the places, two a third each, and whatever
 * number of them floods, as much as each has is left for the others (I12). Late requests may have taken more than that: what an account
 * has beyond the share of others counts against itself alone.
 * @param places.waiting how much waits of each of the accounts with the most, the most first
 */
export function shareOf(places: {
  readonly all: number;
  readonly taken: number;
  readonly waiting: readonly number[];
}): number {
  const { all, taken, waiting } = places;
  let free = all - taken;
  let sharing = 1;
  for (const own of waiting) {
    const isBeyond = own > free / sharing && (taken > all || own > all / 2);
    if (!isBeyond) break;
    free += own;
    sharing++;
  }
  return free / sharing;
}
