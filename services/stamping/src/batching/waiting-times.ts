/**
 * How long each of a lane's transactions has been broadcast without coming into a block: from its first broadcast by this
 * process on, again after a reorg took it back. Kept in memory: after a restart all begin again, so that nothing is replaced
 * that was not broadcast unchanged first.
 */
export type WaitingTimes = {
  /** Since the first call with this key. */
  of(lane: string, key: string): number;
  /** A round has ended: what it did not look up is forgotten. */
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
