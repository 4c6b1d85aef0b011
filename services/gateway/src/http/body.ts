import type { IncomingMessage, ServerResponse } from 'node:http';
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

/** A body that is read as a whole, within `maxBytes`. */
export async function collectBody(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}
