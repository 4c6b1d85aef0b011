import { setTimeout as delay } from 'node:timers/promises';
import type { BlobStore } from '@indelible/blob-store';
import { createLeadership, type Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { claimedOf } from '../tables/stamps.ts';
import { pruneUploads } from '../tables/uploads.ts';
import { discardContent } from './discard-content.ts';

const pageSize = 500;
/** Pages of one run: bounds its work; the next run goes on where it ended. */
const maxPages = 100;
/** Longer than a command is kept: until then a repeated delivery finds what was decided. */
const uploadsKeptMs = 30 * 24 * 3_600_000;
const uploadsAtOnce = 10_000;

export type Swept = { readonly discarded: number; readonly kept: number; readonly next?: string };

/**
 * Drops staged content older than `olderThan` that no stamp claims (I7): of uploads that broke off, of requests that
 * were never published, of crashes before a discard.
 * @param after where the run before ended
 */
export async function sweepStaged(
  ports: {
    readonly database: Pick<Database, 'query' | 'transaction'>;
    readonly blobStore: Pick<BlobStore, 'listStaged' | 'discard'>;
  },
  olderThan: Date,
  after?: string,
): Promise<Swept> {
  let discarded = 0;
  let kept = 0;
  let next = after;
  for (let page = 0; page < maxPages; page++) {
    const listed = await ports.blobStore.listStaged({
      olderThan,
      limit: pageSize,
      ...(next === undefined ? {} : { after: next }),
    });
    const stagedIds = listed.items.map((item) => item.stagedId);
    const claimed = await claimedOf(ports.database, stagedIds);
    const unclaimed = stagedIds.filter((stagedId) => !claimed.has(stagedId));
    const failed = await discardContent(ports.blobStore, unclaimed);
    discarded += unclaimed.length - failed;
    kept += claimed.size + failed;
    next = listed.next;
    if (next === undefined) return { discarded, kept };
  }
  return { discarded, kept, ...(next === undefined ? {} : { next }) };
}

/** Sweeps again and again, in one replica. */
export function createSweep(options: {
  readonly database: Database;
  readonly blobStore: BlobStore;
  readonly logger: Logger;
  readonly afterMs: number;
  readonly intervalMs: number;
  readonly onSwept: (swept: Swept) => void;
}): Component {
  const { database, blobStore, logger } = options;
  const leadership = createLeadership({
    url: database.url,
    name: `${database.schema}.sweep`,
    logger,
    async lead(_session, signal) {
      let after: string | undefined;
      while (!signal.aborted) {
        try {
          const swept = await sweepStaged({ database, blobStore }, new Date(Date.now() - options.afterMs), after);
          after = swept.next;
          await pruneUploads(database, new Date(Date.now() - uploadsKeptMs), uploadsAtOnce);
          options.onSwept(swept);
        } catch (error) {
          logger.warn({ error }, 'staged content could not be swept now');
        }
        await delay(options.intervalMs, undefined, { signal }).catch(() => {});
      }
    },
  });
  return { ...leadership, name: 'sweep' };
}
