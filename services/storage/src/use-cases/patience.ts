import { setTimeout as delay } from 'node:timers/promises';
import type { BlobStore } from '@indelible/blob-store';
import { UnavailableError } from '@indelible/service-runtime';

/** How long other files of a batch or round wait for content that is slow to move. */
export const defaultPatienceMs = 10_000;
/** A store that does not pass a check in this time is unavailable. */
const checkMs = 5_000;

/** The store did not respond in time; the operation may still succeed. */
export class LateError extends UnavailableError {
  constructor() {
    super('the blob store does not respond');
  }
}

/** @throws LateError when the work takes longer; it continues, and its outcome is ignored */
export async function inTime<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const done = new AbortController();
  const late = delay(ms, undefined, { signal: done.signal }).then(() => {
    throw new LateError();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

export const isAvailable = (blobStore: Pick<BlobStore, 'check'>): Promise<boolean> =>
  inTime(checkMs, blobStore.check()).catch(() => false);
