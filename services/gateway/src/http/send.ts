import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesPassed } from '@indelible/service-runtime';
import type { HeldBytes } from '../limits/byte-budget.ts';
import { hasBody } from './body.ts';
import { type Answer, JsonStream } from './call.ts';
import type { HttpError } from './errors.ts';
import type { FlowWatch } from './flow-watch.ts';
import type { Page } from './page.ts';

/** How long a client that still sends is listened to after its answer, so that no reset keeps it from reading it. */
const lingerMs = 2_000;

/** What is written at once; a larger answer goes out in pieces of it, so that its progress can be seen. */
const pieceBytes = 64 * 1024;

/**
 * @param watch cuts a client that takes nothing of its answer, or takes it too slowly
 * @param hold counts the bytes of an answer that does not go out at once
 * @throws HttpError 503 instead of an answer that is too much now; what went wrong while a long answer came or went: the
 *   connection is cut then
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

/** A JSON text that goes out at once. */
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
  // What is not to be ended by a pipeline is not destroyed by it either.
  try {
    await pipeline(counted(bytes), response, { end: false });
  } catch (error) {
    response.destroy();
    throw error;
  }
  const { req: request } = response;
  // An answer may end before its request has: what still comes is no request's.
  if (!request.complete) await linger(request);
  if (request.complete) response.end();
  else response.end(() => request.destroy());
}

function sendText(response: ServerResponse, status: number, text: string, headers: Answer['headers']): void {
  // A text is written together with the headers; bytes would be a second piece.
  response.writeHead(status, { ...jsonHeaders, 'Content-Length': Buffer.byteLength(text), ...headers });
  response.end(text);
}

/**
 * The kernel takes some megabytes of an answer at once, and then nothing until a third of them is read: what a slow reader takes
 * shows only in such steps, so it is given ten times as long.
 */
const answerPatience = 10;

/** Bounds how long a client may leave what was written for it. Most answers go out at once: these are not watched. */
export function watchAnswer(
  response: ServerResponse,
  watch: FlowWatch,
  cut = (): void => void response.req.socket.destroy(),
): void {
  const { socket } = response.req;
  // A client that has left is told nothing, and its `close` has been.
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

/** Of every answer of the API: JSON, whatever a browser would guess, and of nobody else than who asked. */
export const jsonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
} as const;

/** Calls `ended` when the connection ends before the answer has. */
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

/** Answers `{error, details?}`. When the body was not read to its end, the connection is closed after it. */
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

/** Lets a client that still sends go on for a while, reading nothing of it. */
async function linger(request: IncomingMessage): Promise<void> {
  const ended = new AbortController();
  request.once('close', () => ended.abort()).once('end', () => ended.abort());
  // Whoever began to read the body left its listener: as long as that is there, nothing flows.
  request.removeAllListeners('readable');
  request.on('error', () => ended.abort()).resume();
  await delay(lingerMs, undefined, { signal: ended.signal }).catch(() => {});
}
