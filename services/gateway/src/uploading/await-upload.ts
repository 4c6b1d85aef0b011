import { setTimeout as delay } from 'node:timers/promises';
import type { Refusal } from '@indelible/messages';
import type { ReplyWaiter } from '@indelible/replies';
import type { FindUpload, UploadState } from '../neighbours/storage.ts';

export type AwaitedUpload =
  | Extract<UploadState, { state: 'stored' }>
  | { readonly state: 'refused'; readonly refusal: Refusal }
  /** The wait limit passed: the upload goes on. */
  | { readonly state: 'limit' };

/** While replies are heard, storage is asked only once a reply may have been lost. */
const pauseMs = { heard: 2_000, first: 250, most: 1_000 };
const couldNotBeStored: Refusal = { code: 'upload-failed', message: 'the content could not be stored' };

/**
 * Waits for what becomes of an upload: by its reply, or, when that does not come, by asking storage. The waiter must
 * have been registered before the command was published.
 */
export async function awaitUpload(
  ports: { readonly findUpload: FindUpload | undefined; readonly repliesHeard: () => boolean },
  requestId: string,
  waiter: ReplyWaiter,
  signal: AbortSignal,
): Promise<AwaitedUpload> {
  const settled = new AbortController();
  const until = AbortSignal.any([signal, settled.signal]);
  const ended = Promise.withResolvers<AwaitedUpload>();
  const atLimit = (): void => ended.resolve({ state: 'limit' });
  if (signal.aborted) atLimit();
  signal.addEventListener('abort', atLimit, { once: true });
  const listen = async (): Promise<void> => {
    for (;;) {
      const reply = await waiter.next(until);
      if (reply.kind === 'uploaded') ended.resolve({ ...reply, state: 'stored' });
      else if (reply.kind === 'refused') ended.resolve({ state: 'refused', refusal: reply.refusal });
    }
  };
  const poll = async (find: FindUpload): Promise<void> => {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.most)) {
      await delay(ports.repliesHeard() ? pauseMs.heard : pause, undefined, { signal: until });
      const upload = await find(requestId).catch(() => undefined);
      if (upload?.state === 'stored') ended.resolve(upload);
      else if (upload?.state === 'failed') ended.resolve({ state: 'refused', refusal: couldNotBeStored });
    }
  };
  // Both end by an abort: what they learned before is in `ended`.
  listen().catch(() => {});
  if (ports.findUpload !== undefined) poll(ports.findUpload).catch(() => {});
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener('abort', atLimit);
    settled.abort();
  }
}
