import { setTimeout as delay } from 'node:timers/promises';
import type { FetchedHeader } from './ports.ts';

/** The newest announced head, for one waiter. */
export type HeadSignal = {
  announce(head: FetchedHeader): void;
  /** Ends waiting: there is other work. */
  wake(): void;
  readonly last: FetchedHeader | undefined;
  /** Number of announced heads and wake-ups. */
  readonly count: number;
  /** Waits until more than `count` heads were announced, at most so long. */
  beyond(count: number, ms: number, signal: AbortSignal): Promise<void>;
};

export function createHeadSignal(): HeadSignal {
  let last: FetchedHeader | undefined;
  let count = 0;
  let wake = new AbortController();
  const wakeAll = (): void => {
    count++;
    wake.abort();
    wake = new AbortController();
  };
  return {
    announce: (head) => {
      last = head;
      wakeAll();
    },
    wake: wakeAll,
    get last() {
      return last;
    },
    get count() {
      return count;
    },
    beyond: async (seen, ms, signal) => {
      if (count > seen) return;
      await delay(ms, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(() => undefined);
    },
  };
}
