import type { Hex } from '@indelible/identifiers';
import type { InternalAddress } from '@indelible/service-runtime';
import { requestStream } from './verification-stream.ts';

/**
 * Has the verification service match objects, which stream in as lines of JSON: each object, then what is requested of them.
 * @returns the bytes of its answer, an object whose first key is `collections`; to be read or returned
 * @throws what `lines` throws; UnavailableError; HttpError 413, 503; the signal's reason
 */
export type CollectionVerification = (
  caller: Hex,
  lines: AsyncIterable<string>,
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>>;

export const createCollectionVerification =
  ({ url, headers }: InternalAddress): CollectionVerification =>
  (caller, body, signal) =>
    requestStream(new URL(`${url}/internal/collections/verify?caller=${caller}`), {
      headers,
      contentType: 'application/x-ndjson',
      body,
      signal,
    });
