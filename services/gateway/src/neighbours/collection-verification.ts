import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PermanentError, UnavailableError } from '@indelible/service-runtime';
import { HttpError, unavailable } from '../http/errors.ts';

/**
 * Asks the verification service to match objects, which stream in as lines of JSON: each object, then what is asked.
 * Both directions go at the pace of the slower side.
 * @returns the bytes of its answer, an object whose first key is `collections`; to be read or returned
 * @throws what `lines` throws; UnavailableError; HttpError 413, 503; the signal's reason
 */
export type CollectionVerification = (
  lines: AsyncIterable<string>,
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>>;

/** It may match a million objects before it answers; beyond this stillness it is taken for away. */
const stillMs = 60_000;
const maxErrorBytes = 64 * 1024;

export function createCollectionVerification(url: string): CollectionVerification {
  const target = new URL(`${url}/internal/collections/verify`);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return async (lines, signal) => {
    const request = send(target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      // A body that streams cannot be sent twice: no connection that the other side may just have closed.
      agent: false,
      signal,
    });
    request.setTimeout(stillMs, () => request.destroy(new UnavailableError('verification stands still')));
    let fault: { readonly error: unknown } | undefined;
    async function* noted(): AsyncGenerator<string, void, undefined> {
      try {
        yield* lines;
      } catch (error) {
        fault = { error };
        throw error;
      }
    }
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject);
      request.once('close', () => reject(new UnavailableError('verification closed the connection')));
    });
    // One text is held beside the one being sent: what waits longer outlives the cheap collections.
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
    }
  };
}

async function* answerOf(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of response) yield chunk as Buffer;
  } catch (error) {
    throw new UnavailableError("verification's answer broke off", { cause: error });
  }
}

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
  return new PermanentError(`verification answered ${statusCode}: ${error} ${details ?? ''}`);
}

/** Its error body, as far as it can be read. */
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
    // What it said is lost; its status tells enough.
  }
  return { error: 'the request was refused' };
}
