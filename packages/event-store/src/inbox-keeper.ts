import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { pruneInbox } from './inbox.ts';

const atOnce = 10_000;

/** Forgets old inbox rows now and then, a bounded number at once; any replica may, at any time. */
export function createInboxKeeper(options: {
  readonly database: Pick<Database, 'query'>;
  readonly logger: Logger;
  readonly everyMs?: number;
}): Component {
  let timer: NodeJS.Timeout | undefined;
  let pruning: Promise<void> = Promise.resolve();
  let stopped = false;

  async function prune(): Promise<void> {
    let forgotten = 0;
    try {
      for (let pruned = atOnce; pruned === atOnce && !stopped; forgotten += pruned)
        pruned = await pruneInbox(options.database, undefined, atOnce);
    } catch (error) {
      options.logger.warn({ error }, 'old inbox rows could not be forgotten; trying again later');
    }
    if (forgotten > 0) options.logger.info({ rows: forgotten }, 'old inbox rows forgotten');
  }

  return {
    name: 'inbox keeper',
    async start() {
      timer = setInterval(() => {
        pruning = pruning.then(prune);
      }, options.everyMs ?? 3_600_000);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await pruning;
    },
  };
}
