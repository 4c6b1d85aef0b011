/** A bounded resource that several parties share: accounts, addresses. */
export type FairShare = {
  /** Takes `amount` for `party`; false, taking nothing, if its share or the total does not allow it. */
  take(party: string, amount?: number): boolean;
  /** How many of `wanted` the party may take now. */
  room(party: string, wanted: number): number;
  give(party: string, amount?: number): void;
  /** What is taken, by all. */
  taken(): number;
};

/**
 * A party may take more while it has less than is free: one alone gets half, several share evenly, and something is
 * always left for the next, whatever the others hold (I12).
 */
export function createFairShare(max: number): FairShare {
  const shares = new Map<string, number>();
  let taken = 0;
  // Each unit taken adds one to the party's and removes one from the free ones.
  const room = (party: string, wanted: number): number =>
    Math.min(wanted, Math.ceil((max - taken - (shares.get(party) ?? 0)) / 2));

  return {
    room,
    take(party, amount = 1) {
      const own = shares.get(party) ?? 0;
      if (own + amount > max - taken) return false;
      shares.set(party, own + amount);
      taken += amount;
      return true;
    },
    give(party, amount = 1) {
      const left = (shares.get(party) ?? 0) - amount;
      if (left > 0) shares.set(party, left);
      else shares.delete(party);
      taken -= amount;
    },
    taken: () => taken,
  };
}
