import type { StampFile, UploadOutcome } from '@indelible/messages';
import type { InternalAddress } from '@indelible/service-runtime';
import { requestJson } from './request-json.ts';

const service = 'storage';

/** The outcome of an upload; undefined while it is not decided. @throws UnavailableError */
export type FindUpload = (requestId: string) => Promise<UploadOutcome | undefined>;

export const createFindUpload =
  (storage: InternalAddress): FindUpload =>
  async (requestId) => {
    const { status, body } = await requestJson<UploadOutcome>(storage, {
      ...{ service, path: `/internal/uploads/${requestId}` },
      accepts: (status) => status === 200 || status === 404,
    });
    return status === 404 ? undefined : body;
  };

/** Stamps of one look-up. */
const maxStamps = 1_000;

/** The files of stamps that have one, by stamp id. @throws UnavailableError; the signal's reason */
export type FindFiles = (stampIds: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, StampFile>>;

export const createFindFiles =
  (storage: InternalAddress): FindFiles =>
  async (stampIds, signal) => {
    const found = new Map<string, StampFile>();
    for (let start = 0; start < stampIds.length; start += maxStamps) {
      const { body } = await requestJson<{ readonly files: readonly StampFile[] }>(storage, {
        ...{ service, path: '/internal/files/lookup', signal },
        body: { stampIds: stampIds.slice(start, start + maxStamps) },
      });
      for (const file of body.files) found.set(file.stampId, file);
    }
    return found;
  };
