/** Bytes that go to or come from a client. */
export type Flow = {
  /** Bytes so far. */
  moved(): number;
  /** Whether it is the client's turn to send or to take: only then its time counts. */
  waits(): boolean;
  /** Called once, when the client stood still for too long or is too slow. */
  cut(why: 'still' | 'slow'): void;
  /** How many times as long it is waited for: for bytes whose moving shows late. Default 1. */
  readonly patience?: number;
};

export type FlowWatch = {
  /** Watches a flow until the answer is called. */
  add(flow: Flow): () => void;
};

type Watched = { readonly flow: Flow; moved: number; stillMs: number; waitedMs: number; windowMoved: number };

/** How many windows of stillness one of the rate is. */
const stillnessesOfRate = 2;

/**
 * Cuts clients that stand still, and those that are slower than a minimum rate over a window in which it was their turn;
 * how long a transfer takes in all is not limited. One timer looks at all flows: a flow costs an entry of a set.
 * @param minRate bytes a second; the window is twice the time of stillness
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
    // A process that was busy for long has not looked, which is not its clients' doing.
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
