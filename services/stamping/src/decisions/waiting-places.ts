/** Late requests have this many times the places, with shares for accounts as well. */
export const lateFactor = 4;

/**
 * How many stamps of one account may wait: as many as there are free places. So one account alone gets half of the
 * places, two get a third each, and however many flood, as much as each has is left for the others (I12). Late requests
 * may have taken more: what an account has beyond others' share counts against itself alone.
 * @param places.waiting waiting stamps of each of the accounts with the most, in descending order
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
