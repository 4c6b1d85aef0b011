import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';
import type { StampFile } from '../decisions/stamp-view.ts';
import type { UploadState } from '../decisions/wait-for-upload.ts';
import { lookUp } from './look-up.ts';

/** Asks storage for an upload; undefined while it is not decided. @throws UnavailableError */
export type FindUpload = (requestId: string) => Promise<UploadState | undefined>;

const timeoutMs = 5_000;

export function createFindUpload({ url, headers }: InternalAddress): FindUpload {
  return async (requestId) => {
    try {
      const response = await fetch(`${url}/internal/uploads/${requestId}`, {
        headers,
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.ok) return (await response.json()) as UploadState;
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      throw new UnavailableError(`storage answered ${response.status}`);
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      throw new UnavailableError('storage does not answer', { cause: error });
    }
  };
}

/** Stamps of one look-up. */
const maxStamps = 1_000;

/** The files of stamps, of those that have one, by the ids of the stamps. @throws UnavailableError; the signal's reason */
export type FindFiles = (stampIds: readonly string[], signal?: AbortSignal) => Promise<ReadonlyMap<string, StampFile>>;

export const createFindFiles =
  (storage: InternalAddress): FindFiles =>
  async (stampIds, signal) => {
    const found = new Map<string, StampFile>();
    for (let start = 0; start < stampIds.length; start += maxStamps) {
      const { files } = await lookUp<{ readonly files: readonly StampFile[] }>(storage, {
        ...{ service: 'storage', path: '/internal/files/lookup', signal },
        body: { stampIds: stampIds.slice(start, start + maxStamps) },
      });
      for (const file of files) found.set(file.stampId, file);
    }
    return found;
  };
