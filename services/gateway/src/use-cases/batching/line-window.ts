import { createFairShare } from '@indelible/service-runtime';

/** How many lines of batches may be in flight in this process: read, and their results not yet taken by the client. */
export type LineWindow = {
  join(account: string): WindowShare;
  /** Lines in flight of all batches. */
  size(): number;
};

/** One batch's part of the window. */
export type WindowShare = {
  /**
   * Resolves with how many of `wanted` lines may be read now, one at least; `room` returns how many more may be in flight
   * beside `underWay`. Rejects with the signal's reason.
   */
  take(wanted: number, room: (underWay: number) => number, signal: AbortSignal): Promise<number>;
  /** Frees the places of lines. */
  give(lines: number): void;
  /** Frees the rest. To be called in any case. */
  leave(): void;
};

/** Accounts share the window, however many batches each sends; the batches of one account share its part. */
export function createLineWindow(max: number): LineWindow {
  const shares = createFairShare(max);
  let changed = Promise.withResolvers<void>();
  return {
    size: shares.taken,
    join(account) {
      const release = (lines: number): void => {
        shares.give(account, lines);
        changed.resolve();
        changed = Promise.withResolvers();
      };
      let own = 0;
      let left = false;
      return {
        async take(wanted, room, signal) {
          for (;;) {
            signal.throwIfAborted();
            const granted = shares.room(account, Math.min(wanted, room(own)));
            if (granted > 0 && shares.take(account, granted)) {
              own += granted;
              return granted;
            }
            await untilEither(changed.promise, signal);
          }
        },
        give(lines) {
          if (left) return;
          own -= lines;
          release(lines);
        },
        leave() {
          if (left) return;
          left = true;
          release(own);
        },
      };
    },
  };
}

function untilEither(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    void promise.then(done);
  });
}
