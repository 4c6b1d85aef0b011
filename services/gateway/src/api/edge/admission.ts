import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createFairShare } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import { unavailable } from '../../errors/http-error.ts';
import { sendError } from './send.ts';

/** Connections over the bound that still get a response; further ones are closed at once. */
export const surplusConnections = 256;

/** Stored on the response: the account of its request, once known, and whether it is over. */
const visitOf = Symbol('visit');
type Visit = { account?: string; over: boolean; readonly end: () => void };
type Answering = ServerResponse & { [visitOf]?: Visit };

/**
 * Bounds the load of one process: requests in flight, and connections. Over the bound: 503, before the key or any of
 * the body is read. Accounts share the requests. Connections without a key so far are shared among client addresses;
 * behind a proxy that is the proxy's: `X-Forwarded-For` is not trusted.
 */
export function createAdmission(options: {
  readonly maxRequests: number;
  readonly maxConnections: number;
  readonly metrics: Registry;
}) {
  const refused = new Counter({
    name: 'indelible_gateway_refused_requests_total',
    help: 'Requests answered 503 at the door, by which bound was reached',
    labelNames: ['bound'],
    registers: [options.metrics],
  });
  const surplus = new WeakSet<Duplex>();
  let connections = 0;
  let requests = 0;
  const accounts = createFairShare(options.maxRequests);
  /** Connections without a key so far, by address. */
  const strangers = createFairShare(options.maxConnections);
  const addressOf = new WeakMap<Duplex, string>();
  const makeKnown = (socket: Duplex): void => {
    const address = addressOf.get(socket);
    if (address === undefined) return;
    addressOf.delete(socket);
    strangers.give(address);
  };
  new Gauge({
    name: 'indelible_gateway_connections',
    help: 'Open connections of the public server',
    registers: [options.metrics],
    collect() {
      this.set(connections);
    },
  });

  new Gauge({
    name: 'indelible_gateway_requests',
    help: 'Requests of the public server that are under way',
    registers: [options.metrics],
    collect() {
      this.set(requests);
    },
  });

  function boundReachedBy(request: IncomingMessage): 'connections' | 'requests' | undefined {
    if (surplus.has(request.socket)) return 'connections';
    return requests >= options.maxRequests ? 'requests' : undefined;
  }

  return {
    connected(socket: Socket): void {
      connections++;
      const address = socket.remoteAddress ?? '';
      if (connections <= options.maxConnections && strangers.take(address)) addressOf.set(socket, address);
      else surplus.add(socket);
      socket.once('close', () => {
        connections--;
        makeKnown(socket);
      });
    },
    /** Counts a request for its account. @throws HttpError 503 when the account has its share of them */
    admit(response: ServerResponse, account: string): void {
      makeKnown(response.req.socket);
      const visit = (response as Answering)[visitOf];
      // A client that has disconnected is not counted: nothing would free its place.
      if (visit === undefined || visit.over) return;
      if (!accounts.take(account)) {
        refused.inc({ bound: 'account' });
        throw unavailable('too many requests of this account at once; try again');
      }
      visit.account = account;
    },
    /** Frees the place of a request before its response ends. */
    leave(response: ServerResponse): void {
      (response as Answering)[visitOf]?.end();
    },
    /** Lets requests through to `serve` while there is room. */
    guard(serve: RequestListener): RequestListener {
      return (request: IncomingMessage, response: ServerResponse) => {
        const bound = boundReachedBy(request);
        if (bound === undefined) {
          requests++;
          const visit: Visit = {
            over: false,
            end() {
              if (visit.over) return;
              requests--;
              visit.over = true;
              if (visit.account !== undefined) accounts.give(visit.account);
            },
          };
          (response as Answering)[visitOf] = visit;
          response.on('close', visit.end);
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
