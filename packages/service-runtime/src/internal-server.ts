import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import express, { type Router } from 'express';
import { type Registry, register } from 'prom-client';
import type { Component } from './component.ts';
import { hasToken } from './internal-token.ts';
import { closeAfterAnswers, untilLeft } from './leave-server.ts';
import type { Logger } from './logging/logger.ts';

/** Where a service's internal server listens and its tokens, from the settings. */
export const internalServerOf = (config: {
  readonly internalHost: string;
  readonly internalPort: number;
  readonly internalTokens?: readonly string[] | undefined;
}) => ({ host: config.internalHost, port: config.internalPort, tokens: config.internalTokens });

/**
 * The server inside the cluster: `/health/live` (the event loop runs), `/health/ready` (every component can do its
 * work; 503 names those that cannot), `/metrics`, and the service's internal routes, which require a token.
 */
export function createInternalServer(options: {
  readonly host: string;
  readonly port: number;
  readonly logger: Logger;
  /** Any of them is accepted. Default: open routes. */
  readonly tokens?: readonly string[] | undefined;
  /** Called at readiness checks; a function, since components are created after the server. */
  readonly components: () => readonly Component[];
  readonly routes?: Router;
  readonly metrics?: Registry;
}): Component & { port(): number } {
  const app = express();
  app.disable('x-powered-by');
  let leaving = false;
  app.get('/health/live', (_request, response) => void response.json({ status: 'live' }));
  app.get('/health/ready', async (_request, response) => {
    const waiting = leaving ? ['the service is stopping'] : await notReady(options.components());
    response
      .status(waiting.length === 0 ? 200 : 503)
      .json({ status: waiting.length === 0 ? 'ready' : 'waiting', waiting });
  });
  const metrics = options.metrics ?? register;
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
  const { tokens } = options;
  if (tokens !== undefined)
    app.use((request, response, next) => {
      if (hasToken(request.headers.authorization, tokens)) return next();
      response
        .status(401)
        .set('WWW-Authenticate', 'Bearer')
        .json({ error: 'the token of internal servers is missing or invalid (INTERNAL_TOKEN)' });
    });
  if (options.routes !== undefined) app.use(options.routes);
  let server: Server | undefined;
  return {
    name: 'internal server',
    async start() {
      // The two ends of a transfer between services limit its time, by inactivity. Clients keep connections for a
      // while: a close after Node's 5 s could cross a request in flight.
      const internal = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 }, app);
      server = await listen(internal, options.host, options.port).catch((error: unknown) => {
        throw new Error('cannot listen (INTERNAL_HOST, INTERNAL_PORT)', { cause: error });
      });
    },
    async leave(ms) {
      leaving = true;
      if (server !== undefined) await leaveServer(server, ms);
    },
    async stop() {
      if (server !== undefined) await closeServer(server);
      server = undefined;
    },
    port: () => portOf(server),
  };
}

async function notReady(components: readonly Component[]): Promise<string[]> {
  const answers = await Promise.all(
    components.map(async (component) => {
      try {
        return (await component.ready?.()) ?? true;
      } catch {
        return false;
      }
    }),
  );
  return components.filter((_component, i) => !answers[i]).map((component) => component.name);
}

const connectionsOf = new WeakMap<Server, Set<Socket>>();

/**
 * Listens, or rejects when the port is taken. Every socket has an error listener from its first moment: Node removes
 * its own on handover (a tunnel), and the next reset would end the process.
 */
export function listen(server: Server, host: string, port: number): Promise<Server> {
  const connections = new Set<Socket>();
  connectionsOf.set(server, connections);
  closeAfterAnswers(server);
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** Keeps responding, each response the last of its connection, until no client is connected, for at most `ms`. */
export const leaveServer = (server: Server, ms: number): Promise<void> =>
  untilLeft(server, () => connectionsOf.get(server)?.size ?? 0, ms);

/** How soon a connection is closed after its last response: a client that keeps it would delay the stop. */
const sweepMs = 50;

/** Stops accepting, closes idle connections, and lets responses in flight finish: after `drainMs` they are cut. */
export function closeServer(server: Server, drainMs = 15_000): Promise<void> {
  return new Promise((resolve) => {
    // Node counts a connection without a request yet as busy, and one whose headers never end.
    for (const socket of connectionsOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

export function portOf(server: Server | undefined): number {
  const address = server?.address();
  if (address === null || address === undefined || typeof address === 'string')
    throw new Error('the server does not listen');
  return address.port;
}
