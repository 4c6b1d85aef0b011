/** The highest block that any endpoint has reported, as long as it can be trusted to be the chain's. */
export type SeenHead = {
  /** 0 before the first. */
  number(): number;
  note(head: number): void;
  isBehind(head: number): boolean;
};

/** A head that no endpoint confirms any more is of a reset chain, or false: the others count again. */
const trustMs = 60_000;

/** @param maxLagBlocks how far behind an endpoint may be before it counts as lagging */
export function createSeenHead(maxLagBlocks: number, now: () => number): SeenHead {
  let highest = 0;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  const trusted = (): boolean => now() - confirmedAt <= trustMs;
  const isBehind = (head: number): boolean => trusted() && head < highest - maxLagBlocks;
  return {
    number: () => (trusted() ? highest : 0),
    isBehind,
    note: (head) => {
      if (isBehind(head)) return;
      highest = trusted() ? Math.max(highest, head) : head;
      confirmedAt = now();
    },
  };
}
