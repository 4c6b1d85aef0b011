import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hasBody } from './body.ts';
import { type Answer, JsonStream } from './call.ts';
import type { Page } from './description.ts';
import type { HttpError } from './errors.ts';

/** How long a client that still sends is listened to after its answer, so that no reset keeps it from reading it. */
const lingerMs = 2_000;

/** @throws what went wrong while a streamed body came or went; the connection is cut then */
export async function sendAnswer(response: ServerResponse, { status, body, headers }: Answer): Promise<void> {
  const contentType = { 'Content-Type': 'application/json; charset=utf-8' };
  if (body instanceof JsonStream) {
    response.writeHead(status, { ...contentType, ...headers });
    await pipeline(body.bytes, response);
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { ...contentType, 'Content-Length': bytes.length, ...headers });
  response.end(bytes);
}

/** Aborts when the connection ends before the answer has. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
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
    await sendAnswer(response, { status: error.status, body, headers: error.headers });
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.length,
    ...error.headers,
    Connection: 'close',
  });
  response.write(bytes);
  const ended = new AbortController();
  request.once('close', () => ended.abort()).once('end', () => ended.abort());
  // Whoever began to read the body left its listener: as long as that is there, nothing flows.
  request.removeAllListeners('readable');
  request.on('error', () => ended.abort()).resume();
  await delay(lingerMs, undefined, { signal: ended.signal }).catch(() => {});
  response.end();
}
