import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `check` until it passes (returns without throwing) and resolves with its value. Throws an error with the last
 * failure's message and cause when it has not passed within `timeoutMs`. Use it instead of any fixed sleep. The default, 20 s, is
 * a guard against hangs on a busy machine: a test of what must happen within some time gives that time.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 20_000;
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
