/** A transfer to or from a client. */
export type Flow = {
  /** Bytes so far. */
  moved(): number;
  /** Whether the client is to send or to read: only then its time counts. */
  waits(): boolean;
  /** Called once, when the client stalls for too long or is too slow. */
  cut(why: 'still' | 'slow'): void;
  /** Multiplies the limits, for bytes whose progress shows late. Default 1. */
  readonly patience?: number;
};

export type FlowWatch = {
  /** Watches a flow. @returns a function that stops it */
  add(flow: Flow): () => void;
};

type Watched = { readonly flow: Flow; moved: number; stillMs: number; waitedMs: number; windowMoved: number };

/** The window of the rate, in multiples of the stall limit. */
const stillnessesOfRate = 2;

/**
 * Disconnects clients that stall, and clients that are slower than a minimum rate over a window in which it was their turn;
 * the duration of a transfer is not limited. One timer checks all flows: a flow costs an entry of a set.
 * @param minRate bytes a second, over a window of twice the limit of stalling
 */
export function createFlowWatch(options: {
  readonly stalledMs: number;
  readonly minRate: number;
  readonly now?: () => number;
}): FlowWatch & { look(): void } {
  const { stalledMs, minRate, now = () => performance.now() } = options;
  const windowMs = stillnessesOfRate * stalledMs;
  const everyMs = Math.min(1_000, Math.ceil(stalledMs / 8));
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = 0;

  function look(): void {
    const at = now();
    // A busy process checks late: that time does not count against clients.
    const passed = Math.min(at - lookedAt, 2 * everyMs);
    lookedAt = at;
    for (const one of watched) judge(one, passed);
    if (watched.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  }

  function judge(one: Watched, passed: number): void {
    const moved = one.flow.moved();
    const progress = moved - one.moved;
    one.moved = moved;
    one.windowMoved += progress;
    if (!one.flow.waits()) {
      one.stillMs = 0;
      return;
    }
    one.waitedMs += passed;
    one.stillMs = progress > 0 ? 0 : one.stillMs + passed;
    const patience = one.flow.patience ?? 1;
    if (one.stillMs >= stalledMs * patience) cut(one, 'still');
    else if (one.waitedMs >= windowMs * patience) {
      if (one.windowMoved < (minRate * windowMs * patience) / 1_000) cut(one, 'slow');
      one.waitedMs = 0;
      one.windowMoved = 0;
    }
  }

  function cut(one: Watched, why: 'still' | 'slow'): void {
    watched.delete(one);
    one.flow.cut(why);
  }

  return {
    look,
    add(flow) {
      const one: Watched = { flow, moved: flow.moved(), stillMs: 0, waitedMs: 0, windowMoved: 0 };
      watched.add(one);
      if (timer === undefined) {
        lookedAt = now();
        timer = setInterval(look, everyMs).unref();
      }
      return () => void watched.delete(one);
    },
  };
}
