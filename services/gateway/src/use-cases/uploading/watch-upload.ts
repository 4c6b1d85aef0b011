import { setTimeout as delay } from 'node:timers/promises';
import type { UploadOutcome } from '@indelible/messages';
import type { FindUpload } from '../../neighbours/storage.ts';

/** While replies are received, storage is queried only once a reply may have been lost. */
const pauseMs = { whileRepliesArrive: 2_000, first: 250, most: 1_000 };

export type WatchUploadPorts = { readonly findUpload: FindUpload; readonly repliesArrive: () => boolean };

/** Looks up an upload in storage at intervals, until the returned function is called. */
export function watchUpload(
  { findUpload, repliesArrive }: WatchUploadPorts,
  requestId: string,
  onStatus: (upload: UploadOutcome) => void,
): () => void {
  const stopped = new AbortController();
  const poll = async (): Promise<void> => {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.most)) {
      await delay(repliesArrive() ? pauseMs.whileRepliesArrive : pause, undefined, { signal: stopped.signal });
      const upload = await findUpload(requestId).catch(() => undefined);
      if (upload !== undefined) onStatus(upload);
    }
  };
  // Ends when aborted.
  poll().catch(() => {});
  return () => stopped.abort();
}
