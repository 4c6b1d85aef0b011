import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type InternalAddress, PermanentError, UnavailableError } from '@indelible/service-runtime';
import { HttpError, unavailable } from '../errors/http-error.ts';

/**
 * The service sends a heartbeat every few seconds while it waits or computes: an interim response before its response,
 * white space within it. Only silence is limited, and only while the gateway waits: the duration of a transfer depends
 * on the client.
 */
const silentMs = 60_000;
const maxErrorBytes = 64 * 1024;

/**
 * Sends a request to the verification service; its body and response are streamed, at the pace of the slower side.
 * @returns the bytes of its response, to be read or returned
 * @throws what `body` throws; UnavailableError; HttpError 413, 503; RefusedQueryError; the signal's reason
 */
export async function requestStream(
  { url, headers }: InternalAddress,
  path: string,
  contentType: string,
  body: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const target = new URL(`${url}${path}`);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send(target, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': contentType },
    // A streamed body cannot be sent again: a new connection, which the other side has not closed already.
    agent: false,
    signal,
  });
  const silent = setTimeout(() => request.destroy(new UnavailableError('verification is silent')), silentMs);
  request.on('information', () => silent.refresh());
  let fault: { readonly error: unknown } | undefined;
  async function* noted(): AsyncGenerator<string, void, undefined> {
    try {
      for await (const text of body) {
        silent.refresh();
        yield text;
      }
    } catch (error) {
      fault = { error };
      throw error;
    }
  }
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).on('error', reject);
    request.once('close', () => reject(new UnavailableError('verification closed the connection')));
  });
  // One text is held beside the one being sent: longer-lived ones would cost major collections.
  const sent = pipeline(Readable.from(noted(), { highWaterMark: 1 }), request);
  sent.catch(() => {});
  try {
    const response = await answered;
    if (response.statusCode !== 200) throw await refusal(response);
    await sent;
    return answerOf(response);
  } catch (error) {
    request.destroy();
    if (fault !== undefined) throw fault.error;
    if (error instanceof HttpError || error instanceof PermanentError || signal.aborted) throw error;
    throw new UnavailableError('verification does not answer', { cause: error });
  } finally {
    clearTimeout(silent);
  }
}

async function* answerOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const timer = setTimeout(() => response.destroy(new Error('verification is silent')), silentMs);
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer));
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    throw new UnavailableError("verification's answer broke off", { cause: error });
  } finally {
    response.destroy();
  }
}

/** The service refused the request as invalid. */
export class RefusedQueryError extends PermanentError {}

async function refusal(response: IncomingMessage): Promise<Error> {
  const { statusCode = 0 } = response;
  const { error, details } = await errorOf(response);
  if (statusCode === 413) return new HttpError(413, error, details === undefined ? {} : { details });
  if (statusCode === 503) {
    const retryAfter = response.headers['retry-after'];
    return unavailable('a part of the service is unavailable; try again', {
      cause: new UnavailableError(`verification answered 503: ${error}`),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
  if (statusCode >= 500) return new UnavailableError(`verification answered ${statusCode}`);
  return new RefusedQueryError(`verification answered ${statusCode}: ${error} ${details ?? ''}`);
}

/** Its error body, as far as readable. */
async function errorOf(response: IncomingMessage): Promise<{ error: string; details?: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > maxErrorBytes) break;
      chunks.push(chunk as Buffer);
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return {
        error: body.error,
        ...('details' in body && typeof body.details === 'string' ? { details: body.details } : {}),
      };
  } catch {
    // Its status is enough.
  }
  return { error: 'the request was refused' };
}
