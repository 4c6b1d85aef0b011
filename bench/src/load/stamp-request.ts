import { randomFillSync } from 'node:crypto';
import type { ClosedLoopJob } from './stamp-jobs.ts';

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

/** Requests that stamp one CID, alone or in a collection, each whole in one string. */
export function stampRequests({
  rootUrl,
  apiKey,
  collection,
}: Pick<ClosedLoopJob, 'rootUrl' | 'apiKey' | 'collection'>) {
  const before =
    collection === undefined ? 'data_cid=' : `collection_name=${encodeURIComponent(collection.name)}&data_cid=`;
  const length = before.length + '0x'.length + 2 * cidBytes;
  const head =
    `POST /api/v1/stamps HTTP/1.1\r\nHost: ${new URL(rootUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n${before}`;
  return (cid: string): string => head + cid;
}
