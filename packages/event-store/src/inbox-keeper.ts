import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { tendInbox } from './tend-inbox.ts';

const retryMs = 60_000;

/** Creates the inbox's partitions ahead of time and drops old ones: at start, then hourly, in any replica. */
export function createInboxKeeper(options: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Logger;
  readonly everyMs?: number;
}): Component {
  const { database, logger, everyMs = 3_600_000 } = options;
  const stopping = new AbortController();
  let tending: Promise<void> = Promise.resolve();

  async function tend(): Promise<boolean> {
    try {
      const tended = await tendInbox(database, Date.now(), stopping.signal);
      if (tended.created + tended.dropped + tended.forgotten > 0) logger.info(tended, 'Inbox tended');
      return true;
    } catch (error) {
      if (!stopping.signal.aborted) logger.warn({ err: error }, 'Inbox could not be tended; trying again');
      return false;
    }
  }

  return {
    name: 'inbox keeper',
    async start() {
      tending = (async () => {
        while (!stopping.signal.aborted) {
          const waitMs = (await tend()) ? everyMs : Math.min(retryMs, everyMs);
          await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      await tending;
    },
  };
}
