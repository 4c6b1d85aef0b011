import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesPassed } from '@indelible/service-runtime';
import { hasBody } from './body.ts';
import { type Answer, JsonStream } from './call.ts';
import type { Page } from './description.ts';
import type { HttpError } from './errors.ts';

/** How long a client that still sends is listened to after its answer, so that no reset keeps it from reading it. */
const lingerMs = 2_000;

/**
 * @param stalledMs how long a client may take none of a streamed body
 * @throws what went wrong while a streamed body came or went; the connection is cut then
 */
export async function sendAnswer(
  response: ServerResponse,
  { status, body, headers }: Answer,
  stalledMs: number,
): Promise<void> {
  if (!(body instanceof JsonStream)) {
    sendJson(response, status, body, headers);
    return;
  }
  response.writeHead(status, { ...jsonHeaders, ...headers });
  // What is not to be ended by a pipeline is not destroyed by it either.
  const cut = (): void => void response.destroy();
  try {
    await pipeline(takenWithin(stalledMs, body.bytes, cut), response, { end: false });
  } catch (error) {
    cut();
    throw error;
  }
  const { req: request } = response;
  // An answer may end before its request has: what still comes is no request's.
  if (!request.complete) await linger(request);
  if (request.complete) response.end();
  else response.end(() => request.destroy());
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Answer['headers']): void {
  // A text is written together with the headers; bytes would be a second piece.
  const text = JSON.stringify(body);
  response.writeHead(status, { ...jsonHeaders, 'Content-Length': Buffer.byteLength(text), ...headers });
  response.end(text);
}

/** Of every answer of the API: JSON, whatever a browser would guess, and of nobody else than who asked. */
export const jsonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** The bytes as they are; calls `cut` when the connection does not take what it was given within `ms`. */
async function* takenWithin(
  ms: number,
  bytes: AsyncIterable<Uint8Array>,
  cut: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    const timer = setTimeout(cut, ms);
    try {
      yield chunk;
    } finally {
      clearTimeout(timer);
    }
    bytesPassed(chunk.length);
  }
}

/** Aborts when the connection ends before the answer has. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed && !response.writableFinished) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

export function sendPage(response: ServerResponse, { headers, body }: Page): void {
  response.writeHead(200, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** Answers `{error, details?}`. When the body was not read to its end, the connection is closed after it. */
export async function sendError(request: IncomingMessage, response: ServerResponse, error: HttpError): Promise<void> {
  const body = { error: error.message, ...(error.details === undefined ? {} : { details: error.details }) };
  if (!hasBody(request) || request.complete) {
    sendJson(response, error.status, body, error.headers);
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(error.status, {
    ...jsonHeaders,
    'Content-Length': bytes.length,
    ...error.headers,
    Connection: 'close',
  });
  response.write(bytes);
  await linger(request);
  response.end();
}

/** Lets a client that still sends go on for a while, reading nothing of it. */
async function linger(request: IncomingMessage): Promise<void> {
  const ended = new AbortController();
  request.once('close', () => ended.abort()).once('end', () => ended.abort());
  // Whoever began to read the body left its listener: as long as that is there, nothing flows.
  request.removeAllListeners('readable');
  request.on('error', () => ended.abort()).resume();
  await delay(lingerMs, undefined, { signal: ended.signal }).catch(() => {});
}
