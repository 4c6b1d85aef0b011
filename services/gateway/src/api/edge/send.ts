import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesPassed } from '@indelible/service-runtime';
import type { HttpError } from '../../errors/http-error.ts';
import type { HeldBytes } from '../../limits/byte-budget.ts';
import type { Page } from '../pages/page.ts';
import { hasBody } from './body.ts';
import { type Answer, JsonStream } from './call.ts';
import type { FlowWatch } from './flow-watch.ts';

/**
 * How long the service keeps reading from a client that still sends after its response, so that no reset destroys that.
 */
const lingerMs = 2_000;

/** Largest single write; a larger response is sent in pieces, so that its progress can be measured. */
const pieceBytes = 64 * 1024;

/**
 * @param watch disconnects a client that reads its response too slowly, or not at all
 * @param hold counts the bytes of a response that is not sent at once
 * @throws HttpError 503 in place of a response that is too large now; errors of making or sending a long response: the
 *   connection is cut off
 */
export async function sendAnswer(
  response: ServerResponse,
  { status, body, headers }: Answer,
  watch: FlowWatch,
  hold: HeldBytes['hold'],
): Promise<void> {
  if (body instanceof JsonStream) {
    response.writeHead(status, { ...jsonHeaders, ...headers });
    await stream(response, body.bytes, watch);
    return;
  }
  if (body === undefined) {
    const { 'Content-Type': _none, ...others } = jsonHeaders;
    response.writeHead(status, { ...others, ...headers }).end();
    return;
  }
  const text = JSON.stringify(body);
  if (text.length > pieceBytes) {
    const bytes = Buffer.from(text);
    hold(bytes.length);
    response.writeHead(status, { ...jsonHeaders, 'Content-Length': bytes.length, ...headers });
    await stream(response, piecesOf(bytes), watch);
    return;
  }
  sendSmall(response, { status, text, headers }, watch);
}

/** Sends a JSON text at once. */
export function sendSmall(
  response: ServerResponse,
  {
    status,
    text,
    headers,
  }: { readonly status: number; readonly text: string; readonly headers: Answer['headers'] | undefined },
  watch: FlowWatch,
): void {
  sendText(response, status, text, headers);
  watchAnswer(response, watch);
}

async function stream(
  response: ServerResponse,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  watch: FlowWatch,
): Promise<void> {
  watchAnswer(response, watch);
  // A pipeline that does not end the response does not destroy it either.
  try {
    await pipeline(counted(bytes), response, { end: false });
  } catch (error) {
    response.destroy();
    throw error;
  }
  const { req: request } = response;
  // A response may end before its request has: the rest is no request.
  if (!request.complete) await linger(request);
  if (request.complete) response.end();
  else response.end(() => request.destroy());
}

function sendText(response: ServerResponse, status: number, text: string, headers: Answer['headers']): void {
  // Text is written together with the headers; bytes would be a second write.
  response.writeHead(status, { ...jsonHeaders, 'Content-Length': Buffer.byteLength(text), ...headers });
  response.end(text);
}

/**
 * The kernel accepts some megabytes of a response at once, and then nothing until a third of them is read. A slow
 * reader's progress shows only in such steps, so it has ten times as long.
 */
const answerPatience = 10;

/** Limits how long a client may leave its response unread. Most are sent at once, and not watched. */
export function watchAnswer(
  response: ServerResponse,
  watch: FlowWatch,
  cut = (): void => void response.req.socket.destroy(),
): void {
  const { socket } = response.req;
  // The client has disconnected: its `close` event is over.
  if (response.closed || response.destroyed) return;
  if (response.writableEnded && response.socket !== null && socket.writableLength === 0) return;
  const forget = watch.add({
    moved: () => socket.bytesWritten - socket.writableLength,
    waits: () => socket.writableLength > 0,
    cut,
    patience: answerPatience,
  });
  response.once('close', forget);
}

function* piecesOf(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function* counted(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    yield chunk;
    bytesPassed(chunk.length);
  }
}

/** Of every response of the API: JSON, not to be sniffed, nor cached for others. */
export const jsonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** Calls `ended` when the connection ends before the response. */
export function whenGone(response: ServerResponse, ended: () => void): void {
  if (response.destroyed && !response.writableFinished) ended();
  else
    response.on('close', () => {
      if (!response.writableFinished) ended();
    });
}

/** The same as a signal. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  whenGone(response, () => gone.abort());
  return gone.signal;
}

/** @throws as {@link sendAnswer} */
export async function sendPage(
  response: ServerResponse,
  { status, headers, body }: Page,
  watch: FlowWatch,
): Promise<void> {
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  await stream(response, piecesOf(body), watch);
}

/** Sends `{error, details?}`. If the body was not read to its end, the connection is closed afterwards. */
export async function sendError(request: IncomingMessage, response: ServerResponse, error: HttpError): Promise<void> {
  const body = { error: error.message, ...(error.details === undefined ? {} : { details: error.details }) };
  if (!hasBody(request) || request.complete) {
    sendText(response, error.status, JSON.stringify(body), error.headers);
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

/** Discards what a client still sends, for a while. */
async function linger(request: IncomingMessage): Promise<void> {
  const ended = new AbortController();
  request.once('close', () => ended.abort()).once('end', () => ended.abort());
  // The body's reader left its listener: nothing flows while it is attached.
  request.removeAllListeners('readable');
  request.on('error', () => ended.abort()).resume();
  await delay(lingerMs, undefined, { signal: ended.signal }).catch(() => {});
}
