import { createFairShare, UnavailableError } from '@indelible/service-runtime';
import { createDeadlines } from './deadlines.ts';

/** What ends a wait: a limit that passes, or a service that stops. */
export type Wait = {
  /** Calls `ended` when the wait ends, at once when it has ended already. @returns a function that unsubscribes */
  onEnd(ended: () => void): () => void;
  /** The same as a signal, made on first use: most waits need none. */
  readonly signal: AbortSignal;
};

/** A request's place among those waiting for an outcome. */
export type Ticket = Wait & { leave(): void };

/**
 * Limits how many requests wait, and for how long; accounts share the places. At a stop, requests may wait until
 * `close`: they then get a 503 with their status resource.
 */
export type WaitingRoom = {
  /**
   * @param onGone calls its argument when the client disconnects, which ends the wait
   * @throws UnavailableError when it is full or closed, or the account has its share
   */
  enter(account: string, onGone?: (ended: () => void) => void): Ticket;
  size(): number;
  /** Ends every wait, and refuses further ones. */
  close(): void;
};

/** A wait that a call ends. There are thousands at once, so it has no timer, and no signal before its first use. */
class EndedWait implements Wait {
  #reason: Error | undefined;
  #controller: AbortController | undefined;
  #listeners: (() => void)[] = [];

  end(why: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = why;
    this.#controller?.abort(why);
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const ended of listeners) ended();
  }
  onEnd(ended: () => void): () => void {
    if (this.#reason !== undefined) ended();
    else this.#listeners.push(ended);
    return () => {
      const at = this.#listeners.indexOf(ended);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
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

export function createWaitingRoom(options: { readonly maxWaiting: number; readonly waitLimitMs: number }): WaitingRoom {
  const deadlines = createDeadlines(options.waitLimitMs);
  /** Places taken, including those of waits that ended and have not left yet. */
  const places = createFairShare(options.maxWaiting);
  const waiting = new Set<Place>();
  let closed = false;

  class Place extends EndedWait implements Ticket {
    readonly #account: string;
    readonly #atLimit = (): void => {
      waiting.delete(this);
      this.end(new Error('the wait limit has passed'));
    };
    #left = false;
    constructor(account: string) {
      super();
      this.#account = account;
      waiting.add(this);
      deadlines.add(this.#atLimit);
    }
    leave(): void {
      if (this.#left) return;
      this.#left = true;
      waiting.delete(this);
      deadlines.remove(this.#atLimit);
      places.give(this.#account);
    }
  }

  return {
    enter(account, onGone) {
      if (closed) throw new UnavailableError('the service is stopping');
      if (!places.take(account)) throw new UnavailableError('too many requests are waiting');
      const place = new Place(account);
      onGone?.(() => place.end(new Error('the client went away')));
      return place;
    },
    size: places.taken,
    close() {
      closed = true;
      for (const place of waiting) place.end(new Error('the service is stopping'));
    },
  };
}
