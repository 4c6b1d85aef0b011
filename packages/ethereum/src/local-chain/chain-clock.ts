/** What decides whether a block is due. */
export interface ClockState {
  /** Blocks still to mine at full pace without work. */
  readonly remaining: number;
  /** Milliseconds of the clock that `beat` gets. */
  readonly lastBlockAt: number;
}

/** Blocks after the last transaction that come at full pace: enough to make it final, which is 64 blocks on this chain. */
const BLOCKS_AFTER_WORK = 128;
/** Pace of a chain on which nothing happens. */
const IDLE_INTERVAL_MS = 30_000;

/** A clock that starts at full pace, so that pending work of an earlier run becomes final. */
export function startClock(now: number): ClockState {
  return { remaining: BLOCKS_AFTER_WORK, lastBlockAt: now };
}

/**
 * Decides at one tick whether to mine. While there is work, and for a while after, every tick mines a block; then one
 * each half minute: an unused chain that mines each second has 86,400 blocks after a day, at 7 to 15 KB of memory each.
 */
export function beat(state: ClockState, now: number, hasWork: boolean): { mine: boolean; state: ClockState } {
  if (hasWork) return { mine: true, state: { remaining: BLOCKS_AFTER_WORK, lastBlockAt: now } };
  if (state.remaining > 0) return { mine: true, state: { remaining: state.remaining - 1, lastBlockAt: now } };
  if (now - state.lastBlockAt >= IDLE_INTERVAL_MS) return { mine: true, state: { remaining: 0, lastBlockAt: now } };
  return { mine: false, state };
}
