import { setTimeout as delay } from 'node:timers/promises';
import type { BlobStore } from '@indelible/blob-store';
import { createLeadership, type Database } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { followMessages, type Look, nothingCaught, sweptBefore } from '../decisions/follow-messages.ts';
import { claimedOf } from '../tables/stamps.ts';
import { pruneUploads } from '../tables/uploads.ts';
import { discardContent } from './discard-content.ts';

const pageSize = 500;
/** Pages per run: bounds its work; the next run continues where it ended. */
const maxPages = 100;
/** Time limit of a page; a later run sweeps the rest. */
const pageMs = 120_000;
/** Longer than commands are kept: until then a redelivery finds the decision. */
const uploadsKeptMs = 30 * 24 * 3_600_000;
const uploadsAtOnce = 10_000;
/** Per round: the next one continues. */
const maxUploadRounds = 100;

/**
 * Part of the deadline: ten minutes of a day for publishing stamping's events, an hour for a request to publish its
 * command.
 */
const pauseShare = 1 / 144;
const marginShare = 1 / 24;

export type Swept = { readonly discarded: number; readonly kept: number; readonly next?: string };

/**
 * Drops staged content older than `olderThan` that no stamp claims (I7): from aborted uploads, requests that were never
 * published, crashes before a discard.
 * @param after where the previous run ended
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
    const failed = await discardContent(ports.blobStore, unclaimed, pageMs);
    discarded += unclaimed.length - failed;
    kept += claimed.size + failed;
    next = listed.next;
    if (next === undefined) return { discarded, kept };
  }
  return { discarded, kept, ...(next === undefined ? {} : { next }) };
}

/** Deletes old uploads, in bounded steps, until none is left. */
export async function forgetUploads(
  database: Pick<Database, 'query'>,
  before: Date,
  signal?: AbortSignal,
): Promise<number> {
  let forgotten = 0;
  for (let round = 0; round < maxUploadRounds && signal?.aborted !== true; round++) {
    const rows = await pruneUploads(database, before, uploadsAtOnce);
    forgotten += rows;
    if (rows < uploadsAtOnce) break;
  }
  return forgotten;
}

/**
 * Sweeps continuously, in one replica: content past its deadline, once storage has every message that may have named it
 * (decisions/follow-messages.ts). While that is unknown, nothing is swept.
 */
export function createSweep(options: {
  readonly database: Database;
  readonly blobStore: BlobStore;
  readonly logger: Logger;
  readonly afterMs: number;
  readonly intervalMs: number;
  /** How far the topics that may name staged content are handled. */
  readonly look: () => Promise<Look>;
  readonly onSwept: (swept: Swept) => void;
}): Component {
  const { database, blobStore, logger, afterMs } = options;
  const leadership = createLeadership({
    url: database.url,
    name: `${database.schema}.sweep`,
    logger,
    async lead(_session, signal) {
      let after: string | undefined;
      let caught = nothingCaught;
      const sweep = async (): Promise<void> => {
        const look = await options.look();
        caught = followMessages(caught, look, afterMs * pauseShare);
        const { deadLetters } = look;
        const olderThan = sweptBefore(caught, {
          now: Date.now(),
          afterMs,
          marginMs: afterMs * marginShare,
          deadLetters,
        });
        if (olderThan === undefined || signal.aborted) return;
        const swept = await sweepStaged({ database, blobStore }, olderThan, after);
        after = swept.next;
        options.onSwept(swept);
      };
      while (!signal.aborted) {
        await sweep().catch((error: unknown) => logger.warn({ err: error }, 'Staged content could not be swept'));
        await forgetUploads(database, new Date(Date.now() - uploadsKeptMs), signal).catch((error: unknown) =>
          logger.warn({ err: error }, 'Old uploads could not be forgotten'),
        );
        await delay(options.intervalMs, undefined, { signal }).catch(() => {});
      }
    },
  });
  return { ...leadership, name: 'sweep' };
}
