import type { InternalAddress } from './internal-token.ts';
import type { Logger } from './logging/logger.ts';

/** Requests that the chain-indexer publish blocks again, for a consumer of events.chain that found a gap. */
export type RepublishRequests = {
  /** Blocks from `from` on are missing: requests them now, or once the last request has timed out. */
  missing(from: number): void;
  /** Blocks follow the consumer's position: nothing is missing now, or the missing ones are coming. */
  followed(): void;
  /** Ends requests in flight. */
  close(): void;
};

/** How long after its last visible effect a request is repeated. */
const patienceMs = 10_000;
const timeoutMs = 5_000;
const warnEveryMs = 60_000;

/**
 * @param indexer of the chain-indexer's internal server: `POST /internal/blocks/republish {"from": 17}`, answered 202.
 *   It merges requests, so any number of replicas and consumers may send them.
 */
export function createRepublishRequests(options: {
  readonly indexer: InternalAddress;
  readonly logger: Logger;
  readonly patienceMs?: number;
}): RepublishRequests {
  const { logger, patienceMs: patience = patienceMs } = options;
  const url = `${options.indexer.url}/internal/blocks/republish`;
  const closed = new AbortController();
  let missing: number | undefined;
  let quietUntil = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let warnedAt = Number.NEGATIVE_INFINITY;

  const request = async (from: number): Promise<void> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...options.indexer.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ from }),
        redirect: 'error',
        signal: AbortSignal.any([closed.signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      if (response.status !== 202) throw new Error(`status ${response.status}`);
      logger.info({ from }, 'Requested that blocks be published again');
    } catch (error) {
      if (closed.signal.aborted || performance.now() - warnedAt < warnEveryMs) return;
      warnedAt = performance.now();
      logger.warn(
        { err: error, from, indexer: url },
        'The chain-indexer did not take a request to publish blocks again',
      );
    }
  };

  const look = (): void => {
    timer = undefined;
    if (missing === undefined || closed.signal.aborted) return;
    const wait = quietUntil - performance.now();
    if (wait <= 0) {
      quietUntil = performance.now() + patience;
      void request(missing);
    }
    timer = setTimeout(look, Math.max(wait, 0) || patience);
    timer.unref();
  };

  return {
    missing(from) {
      missing = from;
      if (timer === undefined) look();
    },
    followed() {
      missing = undefined;
      clearTimeout(timer);
      timer = undefined;
      if (quietUntil > performance.now()) quietUntil = performance.now() + patience;
    },
    close() {
      closed.abort();
      clearTimeout(timer);
    },
  };
}
