import type { Receipt } from '@indelible/messages';
import { type InternalAddress, UnavailableError } from '@indelible/service-runtime';

/** What an upload has come to, as storage tells it. */
export type UploadState =
  | { readonly state: 'pending' }
  | { readonly state: 'failed' }
  | {
      readonly state: 'stored';
      readonly outcome: 'created' | 'existing';
      readonly receipt: Receipt;
      readonly fileName: string;
      readonly filePath: string;
      /** Absent while the stamp of that commitment is not known to storage. */
      readonly stampId?: string;
    };

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
