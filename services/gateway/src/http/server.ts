import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Component, closeServer, createTurns, listen, portOf } from '@indelible/service-runtime';
import { type Admission, surplusConnections } from './admission.ts';

/** Requests begun in one turn of the event loop: a crowd must not hold up those before it. */
const requestsATurn = 32;
/** What those hurried at the drain limit get to read their answers. */
const answerMs = 3_000;

/**
 * The public server. Headers are bounded in size and time, bodies by who reads them; what the HTTP parser refuses is
 * answered in JSON as well. Stopping lets requests under way finish; at the drain limit `hurry` is told to end waits.
 */
export function createEdgeServer(options: {
  readonly host: string;
  readonly port: number;
  readonly app: RequestListener;
  readonly admission: Admission;
  readonly maxConnections: number;
  readonly stalledMs: number;
  readonly drainMs: number;
  /** Ends the requests that still wait, each with its answer. */
  readonly hurry: () => void;
}): Component & { port(): number } {
  let server: Server | undefined;
  let stopping = false;
  const inTurns = createTurns(requestsATurn);
  /** Connections and how many of their requests are under way. */
  const connections = new Map<Duplex, number>();
  const serve: RequestListener = options.admission.guard((request, response) => {
    const { socket } = request;
    connections.set(socket, (connections.get(socket) ?? 0) + 1);
    response.once('close', () => {
      if (connections.has(socket)) connections.set(socket, (connections.get(socket) ?? 1) - 1);
    });
    if (stopping) response.setHeader('Connection', 'close');
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      refuse(socket, 400, 'malformed HTTP request', 'the header Host is required');
    else inTurns(() => options.app(request, response));
  });
  return {
    name: 'edge server',
    async start() {
      const created = createServer({
        headersTimeout: options.stalledMs,
        // Of a whole request: an upload may take its time as long as it goes on.
        requestTimeout: 0,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: Math.min(1_000, options.stalledMs),
        maxHeaderSize: 16 * 1024,
        // Its own refusal of a request without Host has no body; ours has.
        requireHostHeader: false,
      });
      // None is dropped in silence; the size bounds them.
      created.maxHeadersCount = 0;
      created.maxConnections = options.maxConnections + surplusConnections;
      created.on('connection', (socket: Duplex) => {
        options.admission.connected(socket);
        connections.set(socket, 0);
        socket.once('close', () => connections.delete(socket));
      });
      created.on('request', serve);
      // The body is asked for when it is read: after the key.
      created.on('checkContinue', serve);
      created.on('checkExpectation', ({ socket }: IncomingMessage) =>
        refuse(socket, 417, 'expectation failed', 'Expect must be 100-continue'),
      );
      created.on('clientError', answerParserFault);
      created.on('connect', (_request: IncomingMessage, socket: Duplex) => refuse(socket, 405, 'method not allowed'));
      server = await listen(created, options.host, options.port);
    },
    async stop() {
      if (server === undefined) return;
      stopping = true;
      const closed = closeServer(server);
      // Node counts a connection that never asked anything as busy.
      for (const [socket, underWay] of connections) if (underWay === 0) socket.destroy();
      const drained = new AbortController();
      const { signal } = drained;
      const ending = (async () => {
        await delay(options.drainMs, undefined, { signal });
        options.hurry();
        await delay(answerMs, undefined, { signal });
        server?.closeAllConnections();
      })().catch(() => {});
      await closed;
      drained.abort();
      await ending;
      server = undefined;
    },
    port: () => portOf(server),
  };
}

function answerParserFault(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431, 'the headers are too large');
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    refuse(socket, 408, 'the request took too long', 'its headers were not complete in time');
  else refuse(socket, 400, 'malformed HTTP request');
}

function refuse(socket: Duplex, status: number, error: string, details?: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error, ...(details === undefined ? {} : { details }) });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `${status === 405 ? 'Allow: GET, HEAD, POST\r\n' : ''}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
