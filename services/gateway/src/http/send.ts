import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { hasBody } from './body.ts';
import type { Answer } from './call.ts';
import type { HttpError } from './errors.ts';

/** How long a client that still sends is listened to after its answer, so that no reset keeps it from reading it. */
const lingerMs = 2_000;

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    ...answer.headers,
  });
  response.end(body);
}

/** Answers `{error, details?}`. When the body was not read to its end, the connection is closed after it. */
export async function sendError(request: IncomingMessage, response: ServerResponse, error: HttpError): Promise<void> {
  const body = { error: error.message, ...(error.details === undefined ? {} : { details: error.details }) };
  if (!hasBody(request) || request.complete) {
    sendAnswer(response, { status: error.status, body, headers: error.headers });
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
  request.on('error', () => ended.abort()).resume();
  await delay(lingerMs, undefined, { signal: ended.signal }).catch(() => {});
  response.end();
}
