import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Component,
  closeServer,
  createTurns,
  leaveServer,
  listen,
  portOf,
  untilLeft,
} from '@indelible/service-runtime';
import { type Admission, surplusConnections } from './admission.ts';
import { HttpError } from './errors.ts';
import { endSocket, refuseSocket } from './refuse-socket.ts';
import { sendError } from './send.ts';

/** Requests begun in one turn of the event loop: a crowd must not hold up those before it. */
const requestsATurn = 32;
/** What those hurried at the drain limit get to read their answers. */
const answerMs = 3_000;
/** So long a client may send its next request behind an answer that could not say any more that it is the last. */
const lastRequestMs = 1_000;

/**
 * The public server. Headers are bounded in size and time, bodies by who reads them; what the HTTP parser refuses is
 * answered in JSON as well. When it leaves, it goes on answering, and each connection ends with its next answer. Stopping lets
 * requests under way finish; at the drain limit `hurry` is told to end waits.
 */
export function createEdgeServer(options: {
  readonly host: string;
  readonly port: number;
  readonly app: RequestListener;
  readonly admission: Admission;
  readonly maxConnections: number;
  readonly stalledMs: number;
  readonly drainMs: number;
  /** Ends what has no end of its own, as soon as the server stops. */
  readonly endStreams: () => void;
  /** Ends the requests that still wait, each with its answer. */
  readonly hurry: () => void;
}): Component & { port(): number } {
  let server: Server | undefined;
  let stopping = false;
  const inTurns = createTurns(requestsATurn);
  /** Connections, with their requests under way and the answers of these. */
  const connections = new Map<Duplex, Map<IncomingMessage, ServerResponse>>();
  const ending = new WeakSet<Duplex>();
  /** Connections whose answer under way began before it could say that it is the last: a request may come right behind it. */
  const unannounced = new Set<Duplex>();
  const serve: RequestListener = options.admission.guard((request, response) => {
    const { socket } = request;
    const underWay = connections.get(socket);
    underWay?.set(request, response);
    response.on('close', () => underWay?.delete(request));
    if (stopping) response.setHeader('Connection', 'close');
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      refuse(request, response, 400, 'malformed HTTP request', 'the header Host is required');
    else inTurns(() => options.app(request, response));
  });

  /**
   * Bytes that are no request. Behind requests that are here as a whole they belong to none of them: those are answered
   * first, and the connection ends with the last. An answer that has begun is cut: nothing may get into it.
   */
  function refuseBytes(socket: Duplex, status: number, error: string, details?: string): void {
    // The parser refuses each further piece again.
    if (ending.has(socket)) return;
    ending.add(socket);
    const underWay = [...(connections.get(socket) ?? [])];
    if (!socket.writable) socket.destroy();
    else if (underWay.length === 0) refuseSocket(socket, status, error, details);
    else if (underWay.every(([request]) => request.complete)) {
      const [, last] = underWay.at(-1) as (typeof underWay)[number];
      last.once('close', () => endSocket(socket));
    } else if (underWay.length === 1 && underWay[0]?.[1].headersSent === false)
      refuseSocket(socket, status, error, details);
    else socket.destroy();
  }

  function answerParserFault(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (error.code === 'HPE_HEADER_OVERFLOW') refuseBytes(socket, 431, 'the headers are too large');
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket instanceof Socket && socket.bytesRead === 0)
      // A client may keep connections ready: an answer to no request would confuse it.
      socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
      refuseBytes(socket, 408, 'the request took too long', 'its headers were not complete in time');
    else refuseBytes(socket, 400, 'malformed HTTP request');
  }

  /** From here on the next answer of each connection is its last. */
  function announceEnd(): void {
    stopping = true;
    for (const [socket, underWay] of connections)
      for (const response of underWay.values())
        if (response.headersSent) endBehind(response, socket);
        else response.setHeader('Connection', 'close');
    options.endStreams();
  }

  function endBehind(response: ServerResponse, socket: Duplex): void {
    unannounced.add(socket);
    // The last event of a stream says that clients connect again: over another connection, which another replica has.
    const isStream = String(response.getHeader('Content-Type')).startsWith('text/event-stream');
    const endIdle = (): void => {
      if (connections.get(socket)?.size === 0) endSocket(socket);
    };
    response.once('finish', () => (isStream ? endSocket(socket) : setTimeout(endIdle, lastRequestMs)));
  }

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
      created.on('connection', (socket: Socket) => {
        options.admission.connected(socket);
        const underWay = new Map<IncomingMessage, ServerResponse>();
        connections.set(socket, underWay);
        socket.once('close', () => {
          connections.delete(socket);
          unannounced.delete(socket);
          // Behind a CONNECT Node forgets the answers that wait for their turn: they would never close, nor give back what they hold.
          for (const response of underWay.values()) response.destroy();
        });
      });
      created.on('request', serve);
      // The body is asked for when it is read: after the key.
      created.on('checkContinue', serve);
      created.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
        refuse(request, response, 417, 'expectation failed', 'Expect must be 100-continue'),
      );
      created.on('clientError', answerParserFault);
      created.on('connect', (_request: IncomingMessage, socket: Duplex) =>
        refuseBytes(socket, 405, 'method not allowed'),
      );
      server = await listen(created, options.host, options.port);
    },
    async leave(ms) {
      if (server === undefined) return;
      announceEnd();
      await leaveServer(server, ms);
    },
    async stop() {
      if (server === undefined) return;
      const deadline = performance.now() + options.drainMs + answerMs;
      if (!stopping) announceEnd();
      const hurrying = setTimeout(options.hurry, options.drainMs);
      // Node counts a connection that never asked anything as busy.
      for (const [socket, underWay] of connections)
        if (underWay.size === 0 && !unannounced.has(socket)) socket.destroy();
      await untilLeft(server, () => unannounced.size, options.drainMs + answerMs);
      await closeServer(server, Math.max(0, deadline - performance.now()));
      clearTimeout(hurrying);
      server = undefined;
    },
    port: () => portOf(server),
  };
}

/** Refuses a request before it is looked at; the connection ends with its answer. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  error: string,
  details: string,
): void {
  response.setHeader('Connection', 'close');
  void sendError(request, response, new HttpError(status, error, { details }));
}
