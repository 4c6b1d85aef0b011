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
import { HttpError } from '../../errors/http-error.ts';
import { type Admission, surplusConnections } from './admission.ts';
import { endSocket, refuseSocket } from './refuse-socket.ts';
import { sendError } from './send.ts';

/** Requests started per turn of the event loop: a burst must not delay earlier ones. */
const requestsATurn = 32;
/** How long clients have to read their responses after the drain limit. */
const answerMs = 3_000;
/** How long a client may send its next request after a response that began too early to announce the close. */
const lastRequestMs = 1_000;

/**
 * The public server. Headers are bounded in size and time, bodies by their readers; what the HTTP parser refuses also
 * gets a JSON response. While stopping, it continues to respond, and each connection ends with its next response.
 * Requests in flight may finish; at the drain limit `hurry` ends their waits.
 */
export function createEdgeServer(options: {
  readonly host: string;
  readonly port: number;
  readonly app: RequestListener;
  readonly admission: Admission;
  readonly maxConnections: number;
  readonly stalledMs: number;
  readonly drainMs: number;
  /** Ends event streams as soon as the server stops. */
  readonly endStreams: () => void;
  /** Ends the waits of requests, each with a response. */
  readonly hurry: () => void;
}): Component & { port(): number } {
  let server: Server | undefined;
  let stopping = false;
  const inTurns = createTurns(requestsATurn);
  /** Connections, with their requests in flight and the responses. */
  const connections = new Map<Duplex, Map<IncomingMessage, ServerResponse>>();
  const ending = new WeakSet<Duplex>();
  /** Connections whose response in flight began too early to announce the close: another request may follow. */
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
   * Bytes that are no request. After complete requests they belong to none of them: these are answered
   * first, and the connection ends with the last response. A response that has begun is cut off: nothing may be written into it.
   */
  function refuseBytes(socket: Duplex, status: number, error: string, details?: string): void {
    // The parser reports each further piece again.
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
      // A client may keep connections open in advance: a response without a request would confuse it.
      socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
      refuseBytes(socket, 408, 'the request took too long', 'its headers were not complete in time');
    else refuseBytes(socket, 400, 'malformed HTTP request');
  }

  /** Makes the next response of each connection its last. */
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
    // After a stream's last event, clients reconnect: over a new connection, to another replica.
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
        // For whole requests: an upload may take any time unless it stalls.
        requestTimeout: 0,
        keepAliveTimeout: 65_000,
        connectionsCheckingInterval: Math.min(1_000, options.stalledMs),
        maxHeaderSize: 16 * 1024,
        // Node's refusal of a request without Host has no body.
        requireHostHeader: false,
      });
      // No header is dropped silently; their size bounds them.
      created.maxHeadersCount = 0;
      created.maxConnections = options.maxConnections + surplusConnections;
      created.on('connection', (socket: Socket) => {
        options.admission.connected(socket);
        const underWay = new Map<IncomingMessage, ServerResponse>();
        connections.set(socket, underWay);
        socket.once('close', () => {
          connections.delete(socket);
          unannounced.delete(socket);
          // After a CONNECT, Node drops the queued responses: they would never close, nor free what they hold.
          for (const response of underWay.values()) response.destroy();
        });
      });
      created.on('request', serve);
      // 100 Continue is sent when the body is read: after the key.
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
      // Node counts a connection without any request as busy.
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

/** Refuses a request before it is handled; the connection ends with the response. */
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
