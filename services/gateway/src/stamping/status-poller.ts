import type { Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { type StampView, stampsOfRequests } from '../projections/stamps.ts';

/** Looks up what waiting requests have become when replies do not tell. */
export type StatusPoller = Component & {
  /** Calls `see` with the request's stamp whenever it was looked up; the answer ends it. */
  watch(requestId: string, see: (stamp: StampView) => void): () => void;
};

/** While replies are heard, a request is looked up only once it has waited this long: its reply may have been lost. */
const patienceMs = 2_000;
const pauseMs = { heard: 1_000, first: 250, most: 1_000 };

/** One query for all waiting requests at a time, however many they are. */
export function createStatusPoller(options: {
  readonly database: Pick<Database, 'query'>;
  /** Whether replies are heard just now. */
  readonly repliesHeard: () => boolean;
  readonly logger: Logger;
}): StatusPoller {
  const { database, repliesHeard, logger } = options;
  const watched = new Map<string, { readonly since: number; readonly see: (stamp: StampView) => void }>();
  let timer: NodeJS.Timeout | undefined;
  let pause = pauseMs.first;
  let polling: Promise<void> = Promise.resolve();
  let stopped = false;

  async function poll(): Promise<void> {
    const before = performance.now() - (repliesHeard() ? patienceMs : 0);
    const due = [...watched].filter(([, { since }]) => since <= before).map(([requestId]) => requestId);
    if (due.length === 0) return;
    const stamps = await stampsOfRequests(database, due);
    for (const [requestId, stamp] of stamps) watched.get(requestId)?.see(stamp);
  }

  function schedule(): void {
    if (timer !== undefined || stopped || watched.size === 0) return;
    timer = setTimeout(
      () => {
        polling = poll()
          .catch((error: unknown) => logger.warn({ error }, 'the status of waiting requests could not be read'))
          .finally(() => {
            timer = undefined;
            pause = Math.min(pause * 2, pauseMs.most);
            schedule();
          });
      },
      repliesHeard() ? pauseMs.heard : pause,
    );
  }

  return {
    name: 'status poller',
    start: async () => {},
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
    },
    watch(requestId, see) {
      if (watched.size === 0) pause = pauseMs.first;
      watched.set(requestId, { since: performance.now(), see });
      schedule();
      return () => void watched.delete(requestId);
    },
  };
}
