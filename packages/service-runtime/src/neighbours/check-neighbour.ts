import { once } from 'node:events';
import { connect } from 'node:net';
import { hostAndPort, type Neighbour } from './neighbours.ts';

/**
 * What makes a server answer before anyone has authenticated, where its protocol has such a thing; a server that is stopped
 * still accepts connections. Elsewhere a connection must do.
 */
const greetings: Readonly<Record<string, Buffer>> = {
  // SSLRequest: a byte says whether TLS is offered
  'postgres:': Buffer.from('0000000804d2162f', 'hex'),
  'postgresql:': Buffer.from('0000000804d2162f', 'hex'),
};

/** Resolves when one of the neighbour's addresses answers; rejects with what the last one said. */
export async function checkNeighbour(neighbour: Neighbour, signal: AbortSignal): Promise<void> {
  let failure: unknown;
  for (const url of neighbour.urls) {
    try {
      return await checkUrl(url, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

const answerTimeoutMs = 3_000;

async function checkUrl(url: string, stopping: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerTimeoutMs)]);
  const { protocol } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return checkHttp(url, signal);
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

/** Any status will do: whether the caller may do its work there is for the work to find out. */
async function checkHttp(url: string, signal: AbortSignal): Promise<void> {
  const address = new URL(url);
  const credentials = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`;
  // fetch refuses an address with credentials in it
  address.username = '';
  address.password = '';
  const response = await fetch(address, {
    signal,
    redirect: 'manual',
    headers: credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  });
  await response.body?.cancel();
}
