import type { StampFacts } from '@indelible/messages';
import { type Component, createOutageLog, type Logger } from '@indelible/service-runtime';
import { viewOf } from '../../decisions/stamp-view.ts';
import type { SeenStamp } from '../../decisions/wait-for-stamp.ts';
import type { FindStampFacts } from '../../neighbours/stamping.ts';
import type { FindFiles } from '../../neighbours/storage.ts';

/** Queries the status of waiting requests that get no replies. */
export type StatusPoller = Component & {
  /** Calls `onStatus` whenever the request's stamp was queried. @returns a function that stops it */
  watch(requestId: string, onStatus: (stamp: SeenStamp) => void): () => void;
};

/**
 * While replies are received, a request is looked up only after waiting longer than others, since its reply may be
 * lost: twice as long as recent waits took, within these bounds. Afterwards, each time its wait has grown by half: on a
 * slow chain many wait, and few replies are lost.
 */
const patienceMs = { least: 2_000, most: 10_000 };
const patienceGrowth = 1.5;
/** Weight of one wait in the average duration. */
const newestWeight = 1 / 32;
const pauseMs = { whileRepliesArrive: 1_000, first: 250, most: 1_000 };

type Watched = { readonly since: number; dueAt: number; readonly onStatus: (stamp: SeenStamp) => void };

/** One query of stamping covers up to 1,000 waiting requests; storage is queried only for stamps with content. */
export function createStatusPoller(options: {
  readonly findFacts: FindStampFacts;
  readonly findFiles: FindFiles;
  /** Whether replies are currently received. */
  readonly repliesArrive: () => boolean;
  readonly logger: Logger;
}): StatusPoller {
  const { findFacts, findFiles, repliesArrive, logger } = options;
  const waitingFor = 'stamping and storage, to look up what became of waiting requests (STAMPING_URL, STORAGE_URL)';
  const outage = createOutageLog({ logger, waitingFor });
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let pause = pauseMs.first;
  let usualWaitMs = 0;
  let polling: Promise<void> = Promise.resolve();
  let stopped = false;

  const patience = (): number => Math.min(Math.max(patienceMs.least, 2 * usualWaitMs), patienceMs.most);

  async function poll(): Promise<void> {
    const now = performance.now();
    const heard = repliesArrive();
    const due: string[] = [];
    for (const [requestId, one] of watched) {
      if (heard && now < one.dueAt) continue;
      due.push(requestId);
      one.dueAt = one.since + Math.max(patience(), (now - one.since) * patienceGrowth);
    }
    if (due.length === 0) return;
    const stamps = await findFacts(due);
    const withContent: [string, StampFacts][] = [];
    for (const [requestId, facts] of stamps) {
      watched.get(requestId)?.onStatus(viewOf(facts, undefined));
      if (facts.receipt !== null && facts.hasContent && watched.has(requestId)) withContent.push([requestId, facts]);
    }
    if (withContent.length === 0) return;
    const files = await findFiles([...new Set(withContent.map(([, { id }]) => id))]);
    for (const [requestId, facts] of withContent) watched.get(requestId)?.onStatus(viewOf(facts, files.get(facts.id)));
  }

  function schedule(): void {
    if (timer !== undefined || stopped || watched.size === 0) return;
    timer = setTimeout(
      () => {
        polling = poll()
          .then(outage.ended, outage.failed)
          .finally(() => {
            timer = undefined;
            pause = Math.min(pause * 2, pauseMs.most);
            schedule();
          });
      },
      repliesArrive() ? pauseMs.whileRepliesArrive : pause,
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
    watch(requestId, onStatus) {
      if (watched.size === 0) pause = pauseMs.first;
      const since = performance.now();
      watched.set(requestId, { since, dueAt: since + patience(), onStatus });
      schedule();
      return () => {
        watched.delete(requestId);
        usualWaitMs += (performance.now() - since - usualWaitMs) * newestWeight;
      };
    },
  };
}
