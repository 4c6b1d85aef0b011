import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How often it is seen whether a connection is left. */
const lookMs = 25;

const leaving = new WeakSet<Server>();

/** From {@link untilLeft} on, each answer of the server that begins is the last of its connection. */
export function closeAfterAnswers(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (leaving.has(server)) response.setHeader('Connection', 'close');
  });
}

/**
 * A server that closes idle connections at once meets requests that are on their way over them, and a client must not repeat those that
 * may have been handled. So each connection ends behind an answer that says so.
 * @param connections how many are open
 */
export async function untilLeft(server: Server, connections: () => number, ms: number): Promise<void> {
  leaving.add(server);
  const deadline = performance.now() + ms;
  while (connections() > 0 && performance.now() < deadline) await delay(lookMs);
}
