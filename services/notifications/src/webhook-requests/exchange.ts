import type { ClientRequest, IncomingMessage } from 'node:http';
import { type FaultKind, faultOfError, printable } from './webhook-fault.ts';

/** The outcome of a request, without timing. */
export type Outcome =
  | { readonly status: number; readonly body: string; readonly retryAfter?: string }
  | { readonly fault: FaultKind; readonly message: string };

const maxReadBytes = 64 * 1024;
const keptBytes = 1024;
const maxRetryAfterCharacters = 100;

/**
 * Runs a request to its outcome, or until the deadline aborts, whose reason is then the fault. A kept connection that
 * turns out to be closed is not the receiver's fault: the request is sent again on another.
 */
export async function exchange(open: () => ClientRequest, deadline: AbortSignal): Promise<Outcome> {
  for (;;) {
    const outcome = await attempt(open(), deadline);
    if (outcome !== 'stale') return outcome;
  }
}

async function attempt(request: ClientRequest, deadline: AbortSignal): Promise<Outcome | 'stale'> {
  const isHandshaking = watchHandshake(request);
  const stop = () => request.destroy();
  deadline.addEventListener('abort', stop, { once: true });
  if (deadline.aborted) stop();
  let response: IncomingMessage | undefined;
  try {
    response = await responseOf(request);
    return await readOutcome(response);
  } catch (error) {
    if (deadline.aborted) return faultOfError(deadline.reason, false);
    if (request.reusedSocket && response === undefined && isClosed(error)) return 'stale';
    return faultOfError(error, isHandshaking());
  } finally {
    deadline.removeEventListener('abort', stop);
  }
}

function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

async function readOutcome(response: IncomingMessage): Promise<Outcome> {
  const { statusCode: status = 0, headers } = response;
  if (status >= 300 && status < 400) {
    response.destroy();
    return { fault: 'redirect', message: `redirects are not followed (status ${status})` };
  }
  const retryAfter = headers['retry-after'];
  return {
    status,
    body: await readStart(response),
    ...(retryAfter !== undefined && { retryAfter: printable(retryAfter).slice(0, maxRetryAfterCharacters) }),
  };
}

/** Reads the first KiB. Then reads on to keep the connection, up to a limit: over it, the connection is closed. */
async function readStart(response: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (length < keptBytes) kept.push(chunk.subarray(0, keptBytes - length));
    length += chunk.length;
    if (length >= maxReadBytes) break;
  }
  return printable(new TextDecoder().decode(Buffer.concat(kept), { stream: true }));
}

/**
 * Whether the connection is open and the TLS handshake unfinished: a fault is then the receiver's certificate or
 * configuration.
 */
function watchHandshake(request: ClientRequest): () => boolean {
  let handshaking = false;
  request.once('socket', (socket) => {
    // A kept connection is past both, and would gain a listener with each request.
    if (!('encrypted' in socket && socket.connecting)) return;
    socket.once('connect', () => {
      handshaking = true;
    });
    socket.once('secureConnect', () => {
      handshaking = false;
    });
  });
  return () => handshaking;
}

const isClosed = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE'].includes((error as { code?: string } | null)?.code ?? '');
