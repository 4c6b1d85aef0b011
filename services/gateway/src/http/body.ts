import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGoneError, HttpError } from './errors.ts';

/** Whether the request announces a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(413, 'the request is too large', { details: `at most ${maxBytes} bytes` });

/**
 * The body's bytes as they arrive; the next are asked for only when the last are dealt with, so that a slow disk slows
 * the client and memory stays flat. The request is left open on a fault: its answer still goes out.
 * @throws HttpError 413 (at once where Content-Length tells), 408 when nothing comes for `stalledMs`; ClientGoneError
 */
export async function* readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: { readonly maxBytes: number; readonly stalledMs: number },
): AsyncGenerator<Buffer, void, undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const chunks = request.iterator({ destroyOnReturn: false });
  let received = 0;
  for (;;) {
    const chunk = await nextChunk(chunks, limits.stalledMs);
    if (chunk === undefined) return;
    received += chunk.length;
    if (received > limits.maxBytes) throw tooLarge(limits.maxBytes);
    yield chunk;
  }
}

function nextChunk(chunks: NodeJS.AsyncIterator<Buffer>, stalledMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new HttpError(408, 'the request took too long', { details: 'its body stood still' })),
      stalledMs,
    );
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
