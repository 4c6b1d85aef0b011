import { setTimeout as delay } from 'node:timers/promises';
import type { Component } from './component.ts';
import type { Logger } from './logging/logger.ts';

const atOnce = 5_000;

/** Removes what is old, in bounded steps: at its start, then every hour. Any replica may, at any time. */
export function createKeeper(options: {
  /** Of what it removes, for the log. */
  readonly of: string;
  /** Removes at most `limit` rows; returns how many. */
  readonly forget: (limit: number) => Promise<number>;
  readonly logger: Logger;
  readonly everyMs?: number;
}): Component {
  const { of, forget, logger, everyMs = 3_600_000 } = options;
  const stopping = new AbortController();
  let keeping: Promise<void> = Promise.resolve();

  async function forgetAll(): Promise<void> {
    let rows = 0;
    try {
      for (let some = atOnce; some === atOnce && !stopping.signal.aborted; rows += some) some = await forget(atOnce);
    } catch (error) {
      logger.warn({ of, err: error }, 'Old rows could not be removed; trying again later');
    }
    if (rows > 0) logger.info({ of, rows }, 'Old rows removed');
  }

  return {
    name: `keeper of ${of}`,
    async start() {
      keeping = (async () => {
        while (!stopping.signal.aborted) {
          await forgetAll();
          await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      await keeping;
    },
  };
}
