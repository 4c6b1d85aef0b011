import type { Logger } from '@indelible/service-runtime';

/** Notices when no new blocks come: the node, or the chain, has stopped. */
export type HeadWatch = {
  /** A new head was announced. */
  announced(head: { readonly number: number }): void;
  /** Call about every second: warns once when due, then once a minute. */
  check(): void;
  /** Since the last new head, or since the watch began. */
  ageSeconds(): number;
};

const shortestMs = 30_000;
const blocksMissed = 10;
const warnEveryMs = 60_000;

/**
 * @param hosts of the endpoints currently in use
 * @param now in milliseconds, of a monotonic clock
 */
export function createHeadWatch(options: {
  readonly logger: Logger;
  /** As usual on the chain. */
  readonly blockTimeMs: number;
  readonly hosts: () => readonly string[];
  readonly now: () => number;
}): HeadWatch {
  const { logger, hosts, now } = options;
  let last: number | undefined;
  let heardAt = now();
  let warnedAt: number | undefined;
  const seconds = (): number => Math.round((now() - heardAt) / 1000);

  return {
    announced(head) {
      if (warnedAt !== undefined)
        logger.info({ number: head.number, seconds: seconds() }, 'New blocks are coming again');
      warnedAt = undefined;
      last = head.number;
      heardAt = now();
    },
    check() {
      const age = now() - heardAt;
      if (age < Math.max(shortestMs, blocksMissed * options.blockTimeMs)) return;
      if (warnedAt !== undefined && now() - warnedAt < warnEveryMs) return;
      warnedAt = now();
      const fields = { seconds: seconds(), endpoints: hosts(), number: last };
      logger.warn(fields, `No new block for ${seconds()} s: check the RPC endpoint (RPC_URL) and its chain`);
    },
    ageSeconds: () => (now() - heardAt) / 1000,
  };
}
