import { setTimeout as wait } from 'node:timers/promises';
import { createBackoff } from '@indelible/service-runtime';

/** Waits, or rejects with the first signal's reason that aborts. */
export async function pause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  await untilAborted((signal) => wait(ms, undefined, { signal }), signals);
}

/** Milliseconds before the next round of requests. */
export const backoff = createBackoff({ firstMs: 100, ceilingMs: 2_000 });

/**
 * Runs `act` under a signal that aborts with any of the others, and leaves no listeners on them.
 * @throws what `act` throws; the reason of the signal that aborted
 */
export async function untilAborted<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  signals: readonly AbortSignal[],
): Promise<Result> {
  for (const signal of signals) signal.throwIfAborted();
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const listeners = signals.map((signal) => {
    const onAbort = (): void => {
      controller.abort(signal.reason);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  });
  const acting = act(controller.signal);
  // It still runs to its end after an abort.
  acting.catch(() => undefined);
  try {
    return await Promise.race([acting, promise]);
  } finally {
    for (const remove of listeners) remove();
  }
}
