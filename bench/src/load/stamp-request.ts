import { randomFillSync } from 'node:crypto';
import type { ClosedLoopJob, Collection } from './stamp-jobs.ts';

/** A stamp that was answered 201. Times are of `performance.now()`; `dueAt` is when it was sent, or was to be. */
export type Acknowledged = {
  readonly cid: string;
  readonly dueAt: number;
  readonly answeredAt: number;
  /** The answer's body, which is read when nothing is measured any more. */
  readonly body: string;
};

const cidBytes = 32;
const pool = Buffer.allocUnsafe(cidBytes * 512);
let used = pool.length;

/** A CID that nothing has: 32 random bytes. */
export function freshCid(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += cidBytes;
  return `0x${pool.toString('hex', used - cidBytes, used)}`;
}

/** Where a CID goes: each collection gets about as many. */
export const collectionOf = (cid: string, collections: readonly Collection[] | undefined): Collection | undefined =>
  collections?.[Number.parseInt(cid.slice(2, 10), 16) % collections.length];

/** Requests that stamp one CID, alone or in a collection, each whole in one string. */
export function stampRequests({
  rootUrl,
  apiKey,
  collections,
}: Pick<ClosedLoopJob, 'rootUrl' | 'apiKey' | 'collections'>) {
  const alone = headOf(rootUrl, apiKey, 'data_cid=');
  const heads = new Map(
    collections?.map((one) => [
      one,
      headOf(rootUrl, apiKey, `collection_name=${encodeURIComponent(one.name)}&data_cid=`),
    ]),
  );
  return (cid: string): string => {
    const collection = collectionOf(cid, collections);
    return (collection === undefined ? alone : heads.get(collection)) + cid;
  };
}

/** All of a request that is before the CID. */
function headOf(rootUrl: string, apiKey: string, before: string): string {
  const length = before.length + '0x'.length + 2 * cidBytes;
  return (
    `POST /api/v1/stamps HTTP/1.1\r\nHost: ${new URL(rootUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n${before}`
  );
}
