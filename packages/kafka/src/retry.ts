import { type Backoff, faultClassOf } from '@indelible/service-runtime';
import { toError } from './errors.ts';

export type RetryOptions = {
  backoff: Backoff;
  /** Resolves after the time, rejects when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  onRetry: (error: Error, attempt: number, delayMs: number) => void;
};

/**
 * Repeats an attempt until it succeeds or fails permanently: resolves with undefined or with the permanent error.
 * Rejects only when the signal aborts.
 */
export type Persist = (attempt: () => Promise<void>, signal: AbortSignal) => Promise<Error | undefined>;

export const createPersist =
  (options: RetryOptions): Persist =>
  async (attempt, signal) => {
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted();
      try {
        await attempt();
        return undefined;
      } catch (thrown) {
        const error = toError(thrown);
        if (faultClassOf(error) === 'permanent') return error;
        // A failure while the partition is being released says nothing about a message.
        signal.throwIfAborted();
        const delayMs = options.backoff(failures);
        options.onRetry(error, failures, delayMs);
        await options.wait(delayMs, signal);
      }
    }
  };
