import { setTimeout as delay } from 'node:timers/promises';

export type Backoff = (attempt: number) => number;

/** Milliseconds before the attempt after `attempt` failures (from 1): doubling up to the ceiling, half of it random. */
export const createBackoff =
  (options: { firstMs: number; ceilingMs: number; random?: () => number }): Backoff =>
  (attempt) => {
    const full = Math.min(options.ceilingMs, options.firstMs * 2 ** Math.min(attempt - 1, 30));
    return Math.ceil(full / 2 + (options.random ?? Math.random)() * (full / 2));
  };

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
