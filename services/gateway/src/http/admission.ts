import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Counter, Gauge, type Registry } from 'prom-client';
import { unavailable } from './errors.ts';
import { sendError } from './send.ts';

/** Connections beyond the bound that are still answered; those beyond these are closed by the server without a word. */
export const surplusConnections = 256;

/**
 * Bounds what one process takes on: requests under way, and connections. Whatever is too much is answered 503 before
 * its key or a byte of its body is looked at.
 */
export function createAdmission(options: {
  readonly maxRequests: number;
  readonly maxConnections: number;
  readonly metrics: Registry;
}) {
  const refused = new Counter({
    name: 'gateway_refused_requests_total',
    help: 'Requests answered 503 at the door, by which bound was reached',
    labelNames: ['bound'],
    registers: [options.metrics],
  });
  const surplus = new WeakSet<Duplex>();
  let connections = 0;
  let requests = 0;
  new Gauge({
    name: 'gateway_connections',
    help: 'Open connections of the public server',
    registers: [options.metrics],
    collect() {
      this.set(connections);
    },
  });

  function boundReachedBy(request: IncomingMessage): 'connections' | 'requests' | undefined {
    if (surplus.has(request.socket)) return 'connections';
    return requests >= options.maxRequests ? 'requests' : undefined;
  }

  return {
    connected(socket: Duplex): void {
      connections++;
      socket.once('close', () => connections--);
      if (connections > options.maxConnections) surplus.add(socket);
    },
    /** Lets requests through to `serve` while there is room. */
    guard(serve: RequestListener): RequestListener {
      return (request: IncomingMessage, response: ServerResponse) => {
        const bound = boundReachedBy(request);
        if (bound === undefined) {
          requests++;
          response.once('close', () => requests--);
          serve(request, response as Parameters<RequestListener>[1]);
          return;
        }
        refused.inc({ bound });
        response.setHeader('Connection', 'close');
        void sendError(request, response, unavailable('too many requests at once; try again'));
      };
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
