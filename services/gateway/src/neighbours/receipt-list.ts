import type { Hex } from '@indelible/identifiers';
import type { InternalAddress } from '@indelible/service-runtime';
import type { MinBlock } from '../use-cases/stamping/newest-block.ts';
import { requestStream } from './verification-stream.ts';

export type ReceiptListQuery = {
  readonly cids: readonly Hex[];
  readonly owner?: Hex;
  /** The answer holds everything up to this block. */
  readonly minBlock: MinBlock;
  readonly limit?: number;
  readonly cursor?: string;
};

/**
 * The receipts of CIDs, as many as there are.
 * @returns the bytes of an object with `stamp_list`, and `next_cursor` when there is a limit; to be read or returned
 * @throws RefusedQueryError when the cursor is none of these CIDs; UnavailableError; HttpError 503; the signal's reason
 */
export type ReceiptList = (query: ReceiptListQuery, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

export const createReceiptList =
  ({ url, headers }: InternalAddress): ReceiptList =>
  (query, signal) =>
    requestStream(new URL(`${url}/internal/stamps/verify`), {
      headers,
      contentType: 'application/json',
      body: [JSON.stringify(query)],
      signal,
    });
