/** Wake-ups while busy count as one: the sleeper looks once more, then sleeps. */
export type Wakeup = {
  wake(): void;
  /** Resolves when woken (also when that was before the call), when `timeoutMs` passed, or when the signal aborts. */
  wait(signal: AbortSignal, timeoutMs?: number): Promise<void>;
};

export function createWakeup(): Wakeup {
  let woken = false;
  let sleeper: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      sleeper?.();
    },
    async wait(signal, timeoutMs) {
      if (!woken && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        sleeper = resolve;
        signal.addEventListener('abort', resolve as () => void, { once: true });
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        await promise;
        clearTimeout(timer);
        signal.removeEventListener('abort', resolve as () => void);
        sleeper = undefined;
      }
      woken = false;
    },
  };
}
