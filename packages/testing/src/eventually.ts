import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `check` until it passes (returns without throwing) and resolves with its value. Throws an error with the last
 * failure's message and cause when it has not passed within `timeoutMs` (default 10 s). Use it instead of any fixed sleep.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) {
        const last = error instanceof Error ? error.message : String(error);
        throw new Error(`still not so after ${timeoutMs} ms: ${last}`, { cause: error });
      }
    }
    await delay(options.intervalMs ?? 25);
  }
}
