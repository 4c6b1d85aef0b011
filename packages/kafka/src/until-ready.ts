import { type Backoff, wait, within } from '@indelible/service-runtime';
import { BrokerUnavailableError, toError } from './errors.ts';

export type UntilReadyOptions = {
  timeoutMs: number;
  signal: AbortSignal;
  backoff: Backoff;
  isTransient: (error: unknown) => boolean;
  onFailure: (error: Error, attempt: number) => void;
};

/**
 * Retries until it succeeds: waits silently for a part that is still starting.
 * @throws BrokerUnavailableError when the time is over, the attempt's own error when it is not transient, the signal's
 * reason when it aborts.
 */
export const untilReady = async <Result>(
  attempt: () => Promise<Result>,
  options: UntilReadyOptions,
): Promise<Result> => {
  const deadline = Date.now() + options.timeoutMs;
  for (let failures = 1; ; failures += 1) {
    options.signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!options.isTransient(error)) throw error;
      options.onFailure(toError(error), failures);
      const delayMs = options.backoff(failures);
      if (Date.now() + delayMs > deadline) {
        throw new BrokerUnavailableError(`Not ready within ${options.timeoutMs} ms`, { cause: error });
      }
      await wait(delayMs, options.signal);
    }
  }
};

/** The promise's result, or BrokerUnavailableError after the time; the work itself continues. */
export const withinTime = <Result>(timeoutMs: number, what: string, work: Promise<Result>): Promise<Result> =>
  within(timeoutMs, work, () => new BrokerUnavailableError(`${what} took over ${timeoutMs} ms`));
