import type { Reply, UploadOutcome } from '@indelible/messages';
import { failpoint } from '@indelible/service-runtime';
import { uploadOutcome } from '../decisions/upload-outcome.ts';
import type { Stamping } from '../neighbours/stamping.ts';
import { readUpload } from '../tables/uploads.ts';
import { adoptFiles } from './adopt-files.ts';
import { discardContent } from './discard-content.ts';
import { findStamps } from './find-stamps.ts';
import { recordUpload, type UploadMessage } from './record-upload.ts';
import { type Stored, type StorePorts, storePendingFiles } from './store-files.ts';

/** What an upload needs besides storing. */
export type UploadPorts = StorePorts & { readonly stamping: Pick<Stamping, 'stampsOf'> };

export type UploadHandled = {
  /** HTTP request id. */
  readonly requestId: string | undefined;
  readonly stored: Stored;
  readonly outcome: UploadOutcome;
  readonly faults: readonly string[];
  /** Staged content that could not be discarded: the sweep removes it. */
  readonly kept: number;
};

/**
 * Stores uploaded content, or finds the existing file, and replies to the waiting gateway. Each step may be repeated
 * after a crash: decisions are read again, moved files are found at their paths, unused content is discarded again.
 * @throws the blob store's retryable fault while files are pending; UnavailableError while stamping does not report
 *   which stamps have the content
 */
export async function storeUpload(
  ports: UploadPorts,
  message: UploadMessage,
  httpRequestId?: string,
): Promise<UploadHandled> {
  const { requestId, content } = message.data;
  const stamps = await findStamps(ports, message, ports.now());
  const recorded = await recordUpload(ports.database, message, ports.now(), stamps);
  failpoint('storage.upload-recorded');
  const decided = await readUpload(ports.database, requestId);
  const stampIds = decided?.stampIds ?? [];
  const requestIds = new Map(httpRequestId === undefined ? [] : stampIds.map((stampId) => [stampId, httpRequestId]));
  const stored = await storePendingFiles(ports, stampIds, requestIds);
  await adoptFiles(ports.database, 'recreated', stampIds);
  const unused = decided?.outcome === 'existing' ? [...recorded.discards, content.stagedId] : recorded.discards;
  const kept = await discardContent(ports.blobStore, unused);
  const upload = await readUpload(ports.database, requestId);
  const outcome: UploadOutcome = upload === undefined ? { state: 'pending' } : uploadOutcome(upload);
  const reply = replyOf(requestId, outcome);
  if (upload?.replyTo != null && reply !== undefined) await ports.replies.send([{ replyTo: upload.replyTo, reply }]);
  if (stored.away !== undefined) throw stored.away;
  return { requestId: httpRequestId, stored, outcome, faults: recorded.faults, kept };
}

function replyOf(requestId: string, outcome: UploadOutcome): Reply | undefined {
  switch (outcome.state) {
    case 'pending':
      return undefined;
    case 'failed':
      return {
        requestId,
        kind: 'refused',
        refusal: { code: 'upload-failed', message: 'the content could not be stored' },
      };
    case 'stored': {
      const { state: _, ...facts } = outcome;
      return { requestId, kind: 'uploaded', ...facts };
    }
  }
}
