import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How often open connections are counted. */
const lookMs = 25;

const leaving = new WeakSet<Server>();

/** From {@link untilLeft} on, each new response is the last of its connection. */
export function closeAfterAnswers(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (leaving.has(server)) response.setHeader('Connection', 'close');
  });
}

/**
 * Closing idle connections at once would cross requests in flight, and a client must not repeat those that may have
 * been handled. So each connection ends after a response that says so.
 * @param connections how many are open
 */
export async function untilLeft(server: Server, connections: () => number, ms: number): Promise<void> {
  leaving.add(server);
  const deadline = performance.now() + ms;
  while (connections() > 0 && performance.now() < deadline) await delay(lookMs);
}
