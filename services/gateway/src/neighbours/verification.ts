import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { InternalAddress } from '@indelible/service-runtime';
import { requestJson } from './request-json.ts';
import { requestStream } from './verification-stream.ts';

/** A block that an answer must include, with everything before it. */
export type MinBlock = { readonly chainId: number; readonly number: number };

/**
 * The earliest commitments to CIDs in a set. @throws UnavailableError when verification is unreachable or has not
 * reached the block in time
 */
export type FindCommitments = (query: {
  readonly cids: readonly Hex[];
  readonly owner: Hex;
  readonly setCid: Hex;
  readonly minBlock: MinBlock;
  readonly limit: number;
}) => Promise<readonly Receipt[]>;

const service = 'verification';
/** It waits up to 2 s for its read model. */
const timeoutMs = 10_000;

export const createFindCommitments =
  (verification: InternalAddress): FindCommitments =>
  async (query) => {
    const request = { service, path: '/internal/commitments/lookup', body: query, timeoutMs };
    return (await requestJson<{ readonly receipts: readonly Receipt[] }>(verification, request)).body.receipts;
  };

/**
 * The receipts of CIDs, any number.
 * @returns the bytes of an object with `stamp_list`, and `next_cursor` when there is a limit; to be read or returned
 * @throws RefusedQueryError when the cursor is not for these CIDs; UnavailableError; HttpError 503; the signal's reason
 */
export type ReceiptList = (
  query: {
    readonly cids: readonly Hex[];
    readonly owner?: Hex;
    readonly minBlock: MinBlock;
    readonly limit?: number;
    readonly cursor?: string;
  },
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>>;

export const createReceiptList =
  (verification: InternalAddress): ReceiptList =>
  (query, signal) =>
    requestStream(verification, '/internal/stamps/verify', 'application/json', [JSON.stringify(query)], signal);

/**
 * Sends objects to the verification service for matching, as a stream of JSON lines: each object, then the question.
 * @returns the bytes of its response, an object whose first key is `collections`; to be read or returned
 * @throws what `lines` throws; UnavailableError; HttpError 413, 503; the signal's reason
 */
export type CollectionVerification = (
  caller: Hex,
  lines: AsyncIterable<string>,
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>>;

export const createCollectionVerification =
  (verification: InternalAddress): CollectionVerification =>
  (caller, lines, signal) => {
    const path = `/internal/collections/verify?caller=${caller}`;
    return requestStream(verification, path, 'application/x-ndjson', lines, signal);
  };
