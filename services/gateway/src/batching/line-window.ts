/** How many lines of batches may be under way in this process: read, and not yet taken by whoever asked. */
export type LineWindow = {
  join(): WindowShare;
  /** Lines under way of all batches. */
  size(): number;
};

/** One batch's part of the window. */
export type WindowShare = {
  /**
   * Resolves with how many of `wanted` lines may be read now, one at least; `room` tells how many more may be under way when
   * so many are. Rejects with the signal's reason.
   */
  take(wanted: number, room: (underWay: number) => number, signal: AbortSignal): Promise<number>;
  /** Lines that are dealt with. */
  give(lines: number): void;
  /** Gives back what is left. To be called in any case. */
  leave(): void;
};

/**
 * A batch may take a further line while it has fewer than are free: one alone gets half of the window, several share it
 * evenly, and something is always left for the next, whatever those before do with theirs.
 */
export function createLineWindow(max: number): LineWindow {
  let free = max;
  let changed = Promise.withResolvers<void>();
  const release = (lines: number): void => {
    free += lines;
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    size: () => max - free,
    join() {
      let own = 0;
      let left = false;
      return {
        async take(wanted, room, signal) {
          for (;;) {
            signal.throwIfAborted();
            // Each line taken makes `own` larger and `free` smaller by one.
            const granted = Math.min(wanted, room(own), Math.ceil((free - own) / 2));
            if (granted > 0) {
              own += granted;
              free -= granted;
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
