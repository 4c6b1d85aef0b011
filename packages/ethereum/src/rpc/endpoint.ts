import { RpcUnavailableError } from './errors.ts';
import { parseAnswer, refusalOf } from './http-answers.ts';

/** One HTTP JSON-RPC endpoint: sends a body, returns the parsed JSON. */
export type Endpoint = {
  /** The host, to name the endpoint in a log: paths and user information often hold keys. */
  readonly host: string;
  /** @throws RpcUnavailableError, or the signal's reason when it aborted. */
  send(body: string, signal: AbortSignal | undefined): Promise<unknown>;
};

export type EndpointSettings = {
  readonly url: string;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly closing: AbortSignal;
};

/**
 * Connections are kept alive by Node's fetch.
 * @throws TypeError when the URL is not one of http or https; the message does not contain its text.
 */
export function createEndpoint({ url: text, timeoutMs, maxResponseBytes, closing }: EndpointSettings): Endpoint {
  const { url, authorization } = splitUrl(text);
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (authorization !== undefined) headers.authorization = authorization;

  return {
    host: url.host,
    send: async (body, signal) => {
      signal?.throwIfAborted();
      const limit = limitTime(timeoutMs, signal === undefined ? [closing] : [closing, signal]);
      try {
        const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: limit.signal });
        const answer = await readBody(response, maxResponseBytes);
        const refusal = refusalOf(response, url.host);
        if (refusal !== undefined) throw refusal;
        return parseAnswer(answer, url.host, response.status);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (error instanceof RpcUnavailableError) throw error;
        if (closing.aborted) throw closedError(error);
        if (limit.signal.aborted)
          throw new RpcUnavailableError(`${url.host} did not respond within ${timeoutMs} ms`, { cause: error });
        const fault = neverConnected(error) ? 'unreachable' : 'no-answer';
        throw new RpcUnavailableError(`${url.host} could not be reached`, { cause: error, fault });
      } finally {
        limit.release();
      }
    },
  };
}

/**
 * A signal that aborts after a time or with any of the others. `release` frees it: AbortSignal.timeout would hold each
 * request until its time is over.
 */
function limitTime(ms: number, others: readonly AbortSignal[]): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  for (const other of others) {
    if (other.aborted) abort();
    other.addEventListener('abort', abort);
  }
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      for (const other of others) other.removeEventListener('abort', abort);
    },
  };
}

/** Takes user information out of a URL, since fetch refuses it there. */
function splitUrl(text: string): { url: URL; authorization: string | undefined } {
  if (!URL.canParse(text)) throw new TypeError('an RPC endpoint is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('an RPC endpoint must be a URL of http or https');
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { url, authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}` };
}

async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body and drops its connection.
    if (size > maxBytes)
      throw new RpcUnavailableError(`the answer is longer than ${maxBytes} bytes`, { fault: 'too-long' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

export const closedError = (cause?: unknown): RpcUnavailableError =>
  new RpcUnavailableError('the RPC client is closed', { cause, fault: 'closed' });

const beforeConnecting: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** fetch names the reason in its cause. */
function neverConnected(error: unknown): boolean {
  const cause = isObject(error) ? error.cause : undefined;
  return isObject(cause) && beforeConnecting.has(cause.code);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
