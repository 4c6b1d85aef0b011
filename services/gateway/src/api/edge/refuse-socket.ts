import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { jsonHeaders } from './send.ts';

/** How long a client that sent no valid request has to read the response and close. */
const refusalMs = 2_000;

/**
 * Responds on a socket without a request: for tunnels, and what the HTTP parser refuses. The socket has had an error
 * listener since it was accepted, whatever Node removes, and ends in bounded time, whatever the client does.
 */
export function refuseSocket(socket: Duplex, status: number, error: string, details?: string): void {
  const body = JSON.stringify({ error, ...(details === undefined ? {} : { details }) });
  const headers = {
    ...jsonHeaders,
    ...(status === 405 ? { Allow: 'GET, HEAD, POST' } : {}),
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  endSocket(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Ends a connection after its last bytes; a client that does not close its side is disconnected. */
export function endSocket(socket: Duplex, lastBytes = ''): void {
  const deadline = setTimeout(() => socket.destroy(), refusalMs);
  socket.once('close', () => clearTimeout(deadline));
  // Drains further bytes: unread, they would cause a reset, and the response would be lost.
  socket.resume().once('end', () => socket.destroy());
  socket.end(lastBytes);
}
