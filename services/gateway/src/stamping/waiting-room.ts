import { createFairShare, UnavailableError } from '@indelible/service-runtime';

/** What ends a wait: a limit that passes, or a service that stops. */
export type Wait = {
  /** Calls `ended` when the wait ends, at once when it has; the answer takes that back. */
  onEnd(ended: () => void): () => void;
  /** The same as a signal, for what takes one: made when it is first asked for, since most waits need none. */
  readonly signal: AbortSignal;
};

/** A request's place among those that wait for an outcome. */
export type Ticket = Wait & { leave(): void };

/**
 * Bounds how many requests wait, and for how long; accounts share the places. On a stop those that wait may finish until they are told to leave:
 * they are answered 503 with their status resource then.
 */
export type WaitingRoom = {
  /**
   * @param gone ends the wait of a client that is not there any more
   * @throws UnavailableError when it is full or closed, or when the account has its share of it
   */
  enter(account: string, gone?: AbortSignal): Ticket;
  size(): number;
  /** Ends every wait, and refuses further ones. */
  close(): void;
};

/** A wait that ends when it is told to: one object for thousands of requests under way, so no timer and no signal each. */
function createWait() {
  let reason: Error | undefined;
  let controller: AbortController | undefined;
  const listeners = new Set<() => void>();
  return {
    end(why: Error): void {
      if (reason !== undefined) return;
      reason = why;
      controller?.abort(why);
      for (const ended of listeners) ended();
      listeners.clear();
    },
    onEnd(ended: () => void): () => void {
      if (reason !== undefined) ended();
      else listeners.add(ended);
      return () => void listeners.delete(ended);
    },
    get signal(): AbortSignal {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
  };
}

/** A signal as a wait. */
export const waitOf = (signal: AbortSignal): Wait => ({
  signal,
  onEnd(ended) {
    if (signal.aborted) {
      ended();
      return () => {};
    }
    signal.addEventListener('abort', ended, { once: true });
    return () => signal.removeEventListener('abort', ended);
  },
});

/** Ends with `outer`, or after `limitMs`; to be given up by `leave`. */
export function shorterWait(outer: Wait, limitMs: number): Ticket {
  const wait = createWait();
  const end = (): void => wait.end(new Error('the wait limit has passed'));
  const timer = setTimeout(end, limitMs);
  const forget = outer.onEnd(end);
  return Object.assign(wait, {
    leave() {
      clearTimeout(timer);
      forget();
    },
  });
}

export function createWaitingRoom(options: { readonly maxWaiting: number; readonly waitLimitMs: number }): WaitingRoom {
  /** In the order of coming, which is that of their deadlines: one timer does for all. */
  const waiting = new Map<ReturnType<typeof createWait>, number>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function endDue(): void {
    timer = undefined;
    const now = performance.now();
    for (const [wait, until] of waiting) {
      if (until > now) {
        timer = setTimeout(endDue, Math.ceil(until - now));
        return;
      }
      waiting.delete(wait);
      wait.end(new Error('the wait limit has passed'));
    }
  }
  /** Places, until they are left: also of waits that have ended. */
  const places = createFairShare(options.maxWaiting);

  return {
    enter(account, gone) {
      if (closed) throw new UnavailableError('the service is stopping');
      if (!places.take(account)) throw new UnavailableError('too many requests are waiting');
      const wait = createWait();
      waiting.set(wait, performance.now() + options.waitLimitMs);
      timer ??= setTimeout(endDue, options.waitLimitMs);
      const give = (): void => wait.end(new Error('the client went away'));
      gone?.addEventListener('abort', give, { once: true });
      if (gone?.aborted === true) give();
      let left = false;
      return Object.assign(wait, {
        leave() {
          if (left) return;
          left = true;
          gone?.removeEventListener('abort', give);
          places.give(account);
          if (!waiting.delete(wait) || waiting.size > 0) return;
          clearTimeout(timer);
          timer = undefined;
        },
      });
    },
    size: places.taken,
    close() {
      closed = true;
      for (const wait of waiting.keys()) wait.end(new Error('the service is stopping'));
    },
  };
}
