import { createFairShare } from '@indelible/service-runtime';

/**
 * Bounds the batch lines in flight in this process: read, but their results not yet taken by the client. Accounts share
 * the window, however many batches each sends; an account's batches share its part.
 */
export function createLineWindow(max: number) {
  const shares = createFairShare(max);
  let changed = Promise.withResolvers<void>();
  return {
    /** Lines in flight of all batches. */
    size: shares.taken,
    /** One batch's part of the window. */
    join(account: string) {
      const release = (lines: number): void => {
        shares.give(account, lines);
        changed.resolve();
        changed = Promise.withResolvers();
      };
      let own = 0;
      let left = false;
      return {
        /**
         * Resolves with how many of `wanted` lines may be read now, one at least; `room` returns how many more may be in flight
         * beside `underWay`. Rejects with the signal's reason.
         */
        async take(wanted: number, room: (underWay: number) => number, signal: AbortSignal): Promise<number> {
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
        /** Frees the places of lines. */
        give(lines: number): void {
          if (left) return;
          own -= lines;
          release(lines);
        },
        /** Frees the rest. To be called in any case. */
        leave(): void {
          if (left) return;
          left = true;
          release(own);
        },
      };
    },
  };
}

export type LineWindow = ReturnType<typeof createLineWindow>;
export type WindowShare = ReturnType<LineWindow['join']>;

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
