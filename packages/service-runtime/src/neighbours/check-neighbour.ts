import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { hostAndPort, type Neighbour } from './neighbours.ts';

/**
 * Requests that a server answers without authentication, if its protocol has any; a paused server still accepts
 * connections. Otherwise a connection must do.
 */
const greetings: Readonly<Record<string, Buffer>> = {
  // SSLRequest: a byte says whether TLS is offered
  'postgres:': Buffer.from('0000000804d2162f', 'hex'),
  'postgresql:': Buffer.from('0000000804d2162f', 'hex'),
};

/** Resolves when one of the server's addresses responds; rejects with the error of the last one. */
export async function checkNeighbour(neighbour: Neighbour, signal: AbortSignal): Promise<void> {
  let failure: unknown;
  for (const url of neighbour.urls) {
    try {
      return await checkUrl(url, neighbour, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

const answerTimeoutMs = 3_000;

async function checkUrl(url: string, neighbour: Neighbour, stopping: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerTimeoutMs)]);
  const { protocol } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return checkHttp(url, neighbour, signal);
  if (protocol === 'kafkas:') return checkTls(url, neighbour, signal);
  const socket = connect(hostAndPort(url));
  try {
    await once(socket, 'connect', { signal });
    const greeting = greetings[protocol];
    if (greeting === undefined) return;
    socket.write(greeting);
    await once(socket, 'data', { signal });
  } finally {
    socket.destroy();
  }
}

/** Reports an untrusted or expired certificate here, instead of a broker's time-out. */
async function checkTls(url: string, { tls }: Neighbour, signal: AbortSignal): Promise<void> {
  const address = hostAndPort(url);
  const socket = connectTls({ ...address, ...(isIP(address.host) === 0 && { servername: address.host }), ...tls });
  try {
    await once(socket, 'secureConnect', { signal });
  } finally {
    socket.destroy();
  }
}

/** Any status will do: the work itself finds out whether it is allowed there. */
async function checkHttp(url: string, { tls, auth }: Neighbour, signal: AbortSignal): Promise<void> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const credentials = auth === undefined ? {} : { auth: `${auth.username}:${auth.password}` };
  const request = send(url, { signal, agent: false, ...credentials, ...(tls?.ca !== undefined && { ca: tls.ca }) });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.destroy();
}
