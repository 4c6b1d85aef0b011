import { setTimeout as delay } from 'node:timers/promises';

/**
 * Calls `check` until it resolves, at most `timeoutMs` long. Resolves with its value; rejects with its last error, or at once with the
 * signal's reason. `check` gets a signal that is aborted when the time is up, so that a hanging connection ends as well.
 */
export async function waitUntil<T>(
  check: (signal: AbortSignal) => Promise<T>,
  options: { timeoutMs: number; intervalMs?: number; signal: AbortSignal },
): Promise<T> {
  const deadline = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  for (;;) {
    options.signal.throwIfAborted();
    let failure: unknown;
    try {
      return await orAborted(check(deadline), deadline);
    } catch (error) {
      failure = error;
    }
    try {
      await delay(options.intervalMs ?? 100, undefined, { signal: deadline });
    } catch {
      options.signal.throwIfAborted();
      throw failure;
    }
  }
}

/** The promise, or the signal's reason if that comes first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
