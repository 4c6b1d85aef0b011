import type { IncomingMessage, ServerResponse } from 'node:http';
import { bytesPassed } from '@indelible/service-runtime';
import { ClientGoneError, HttpError } from './errors.ts';

/** Whether the request announces a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, 'the request is too large', { details: `at most ${maxBytes} bytes` });

/** How long a body may stand still, and how long it may take as a whole, in milliseconds. */
export type BodyTime = { readonly stalledMs: number; readonly wholeMs: number };

/**
 * The body's bytes as they arrive; the next are asked for only when the last are dealt with, so that a slow disk slows
 * the client and memory stays flat. The request is left open on a fault: its answer still goes out.
 * @throws HttpError 413 (at once where Content-Length tells), 408 when nothing comes for `stalledMs` or it is not complete
 *   within `wholeMs`; ClientGoneError
 */
export async function* readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyTime & { readonly maxBytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const chunks = request.iterator({ destroyOnReturn: false });
  const deadline = performance.now() + limits.wholeMs;
  let received = 0;
  for (;;) {
    const left = deadline - performance.now();
    if (left <= 0) throw tookTooLong(incomplete);
    const late = left < limits.stalledMs ? incomplete : stoodStill;
    const chunk = await nextChunk(chunks, Math.min(left, limits.stalledMs), late);
    if (chunk === undefined) return;
    received += chunk.length;
    if (received > limits.maxBytes) throw tooLarge(limits.maxBytes);
    yield chunk;
    bytesPassed(chunk.length);
  }
}

const stoodStill = 'its body stood still';
const incomplete = 'its body was not complete in time';
const tookTooLong = (details: string): HttpError => new HttpError(408, 'the request took too long', { details });

function nextChunk(chunks: NodeJS.AsyncIterator<Buffer>, withinMs: number, late: string): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tookTooLong(late)), withinMs);
    chunks.next().then(
      (next) => {
        clearTimeout(timer);
        resolve(next.done === true ? undefined : next.value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(new ClientGoneError('the client went away', { cause: error }));
      },
    );
  });
}

/**
 * The body as a whole: what is small costs no stream of its own.
 * @throws as {@link readBody}
 */
export function readWholeBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyTime & { readonly maxBytes: number },
): Promise<Buffer> {
  const announced = bytesAnnounced(request);
  if (announced === undefined || announced > maxAtOnce || request.headers.expect !== undefined)
    return collectBody(readBody(request, response, limits));
  if (announced > limits.maxBytes) return Promise.reject(tooLarge(limits.maxBytes));
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const late = limits.wholeMs <= limits.stalledMs ? incomplete : stoodStill;
    const timer = setTimeout(() => end(tookTooLong(late)), Math.min(limits.wholeMs, limits.stalledMs));
    const end = (fault?: Error): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', done).off('close', gone).off('error', gone);
      if (fault !== undefined) {
        request.pause();
        reject(fault);
      } else resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    };
    const take = (part: Buffer): void => {
      parts.push(part);
      timer.refresh();
    };
    const done = (): void => end();
    const gone = (error?: Error): void => end(new ClientGoneError('the client went away', { cause: error }));
    request.on('data', take).once('end', done).once('close', gone).once('error', gone);
  });
}

/** A body of this size is one or two chunks. */
const maxAtOnce = 64 * 1024;

/** What Content-Length says; undefined for a body in chunks. */
export const bytesAnnounced = (request: IncomingMessage): number | undefined =>
  request.headers['transfer-encoding'] !== undefined ? undefined : Number(request.headers['content-length'] ?? 0);

/** A body that is read as a whole, within `maxBytes`. */
async function collectBody(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}
