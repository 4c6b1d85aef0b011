import type { IncomingMessage, ServerResponse } from 'node:http';
import { bytesPassed } from '@indelible/service-runtime';
import { ClientGoneError, HttpError, tooLarge } from '../../errors/http-error.ts';
import { type HeldBytes, uncountedBytes } from '../../limits/byte-budget.ts';
import type { FlowWatch } from './flow-watch.ts';

/** Whether the request announces a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** How a body is read. */
export type BodyLimits = {
  readonly maxBytes: number;
  readonly watch: FlowWatch;
  /** Counts bytes that are held until the response. @throws HttpError 503 */
  readonly hold: HeldBytes['hold'];
  /** Whether the client waits for the service and need not send: its rate does not count then. */
  readonly rests?: () => boolean;
};

/**
 * The body's bytes as they arrive. The next are read only when the last are handled: a slow disk slows the client, and
 * memory stays flat. After an error the request stays open: the response is still sent.
 * @throws HttpError 413 (at once if Content-Length exceeds the limit), 408 when it stalls or is too slow;
 *   ClientGoneError
 */
export async function* readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): AsyncGenerator<Buffer, void, undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  const chunks = request.iterator({ destroyOnReturn: false });
  let received = 0;
  let giveUp: ((error: Error) => void) | undefined;
  const forget = limits.watch.add({
    moved: () => received,
    waits: () => giveUp !== undefined && limits.rests?.() !== true,
    cut: (why) => giveUp?.(tookTooLong(why)),
  });
  const next = (): Promise<Buffer | undefined> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      chunks.next().then(
        (chunk) => resolve(chunk.done === true ? undefined : chunk.value),
        (error: unknown) => reject(new ClientGoneError('the client went away', { cause: error })),
      );
    });
  try {
    for (;;) {
      const chunk = await next();
      giveUp = undefined;
      if (chunk === undefined) return;
      received += chunk.length;
      if (received > limits.maxBytes) throw tooLarge(limits.maxBytes);
      yield chunk;
      bytesPassed(chunk.length);
    }
  } finally {
    forget();
  }
}

const tookTooLong = (why: 'still' | 'slow'): HttpError =>
  new HttpError(408, 'the request took too long', {
    details: why === 'still' ? 'its body stood still' : 'its body came too slowly',
  });

/**
 * The whole body, without a stream if it is small.
 * @throws as {@link readBody}
 */
export function readWholeBody(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<Buffer> {
  // A closed request emits no further events: without this, the wait would last until the body counts as stalled.
  if (request.destroyed && !request.complete) return Promise.reject(new ClientGoneError('the client went away'));
  const announced = bytesAnnounced(request);
  if (announced === undefined || announced > maxAtOnce || request.headers.expect !== undefined)
    return collectBody(request, response, limits);
  if (announced > limits.maxBytes) return Promise.reject(tooLarge(limits.maxBytes));
  try {
    if (announced > uncountedBytes) limits.hold(announced);
  } catch (error) {
    return Promise.reject(error as Error);
  }
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let received = 0;
    const end = (fault?: Error): void => {
      forget();
      request.off('data', take).off('end', done).off('close', gone).off('error', gone);
      if (fault !== undefined) {
        request.pause();
        reject(fault);
      } else resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    };
    const forget = limits.watch.add({
      moved: () => received,
      waits: () => true,
      cut: (why) => end(tookTooLong(why)),
    });
    const take = (part: Buffer): void => {
      parts.push(part);
      received += part.length;
    };
    const done = (): void => end();
    const gone = (error?: Error): void => end(new ClientGoneError('the client went away', { cause: error }));
    request.on('data', take).on('end', done).on('close', gone).on('error', gone);
  });
}

/** A body of this size is one or two chunks. */
const maxAtOnce = 64 * 1024;

/** The Content-Length; undefined for a body in chunks. */
export const bytesAnnounced = (request: IncomingMessage): number | undefined =>
  request.headers['transfer-encoding'] !== undefined ? undefined : Number(request.headers['content-length'] ?? 0);

/** Counts bytes as soon as they are known: the Content-Length before any arrive. */
async function collectBody(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<Buffer> {
  const announced = bytesAnnounced(request);
  if (announced !== undefined && announced <= limits.maxBytes) limits.hold(announced);
  const parts: Buffer[] = [];
  for await (const chunk of readBody(request, response, limits)) {
    if (announced === undefined) limits.hold(chunk.length);
    parts.push(chunk);
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}
