import { randomFillSync } from 'node:crypto';
import type { Timed } from './window.ts';

/** Where to ask, and as whom. */
export type Target = { readonly rootUrl: string; readonly apiKey: string };

/** A stamp that was answered as it should be; its body is read when nothing is measured any more. */
export type Acknowledged = Timed & { readonly cid: string; readonly body: string };

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

/** Requests that stamp one CID, each whole in one string. @param header a line of its own */
export function stampRequests({ rootUrl, apiKey }: Target, header = ''): (cid: string) => string {
  const head =
    `POST /api/v1/stamps HTTP/1.1\r\nHost: ${new URL(rootUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n${header}` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${'data_cid=0x'.length + 2 * cidBytes}\r\n\r\ndata_cid=`;
  return (cid) => head + cid;
}
