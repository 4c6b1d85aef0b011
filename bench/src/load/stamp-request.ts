import { randomFillSync } from 'node:crypto';
import type { Timed } from './window.ts';

/** Address and API key. */
export type Target = { readonly rootUrl: string; readonly apiKey: string };

/** A stamp with the expected response; its body is parsed after the measurement. */
export type Acknowledged = Timed & { readonly cid: string; readonly body: string };

const cidBytes = 32;
const pool = Buffer.allocUnsafe(cidBytes * 512);
let used = pool.length;

/** An unused CID: 32 random bytes. */
export function freshCid(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += cidBytes;
  return `0x${pool.toString('hex', used - cidBytes, used)}`;
}

/** Requests that stamp one CID, each as one string. @param header a whole line */
export function stampRequests({ rootUrl, apiKey }: Target, header = ''): (cid: string) => string {
  const head =
    `POST /api/v1/stamps HTTP/1.1\r\nHost: ${new URL(rootUrl).host}\r\nAuthorization: Bearer ${apiKey}\r\n${header}` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${'data_cid=0x'.length + 2 * cidBytes}\r\n\r\ndata_cid=`;
  return (cid) => head + cid;
}
