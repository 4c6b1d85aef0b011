/**
 * How long each of a lane's transactions has been broadcast without getting into a block: since this process first
 * broadcast it, or since a reorg took it back. Kept in memory: all start again after a restart, so that every
 * transaction is broadcast unchanged before it is replaced.
 */
export type WaitingTimes = {
  /** Since the first call with this key. */
  of(lane: string, key: string): number;
  /** Ends a round: entries it did not look up are deleted. */
  endRound(lane: string): void;
};

export function createWaitingTimes(now: () => number): WaitingTimes {
  const lanes = new Map<string, { known: Map<string, number>; seen: Map<string, number> }>();
  const timesOf = (lane: string) => {
    const times = lanes.get(lane) ?? { known: new Map<string, number>(), seen: new Map<string, number>() };
    lanes.set(lane, times);
    return times;
  };
  return {
    of(lane, key) {
      const { known, seen } = timesOf(lane);
      const since = seen.get(key) ?? known.get(key) ?? now();
      seen.set(key, since);
      return now() - since;
    },
    endRound(lane) {
      lanes.set(lane, { known: timesOf(lane).seen, seen: new Map() });
    },
  };
}
