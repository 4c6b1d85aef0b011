import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { reachOf } from './addresses.ts';
import { type AddressLookup, createCheckedLookup } from './checked-lookup.ts';
import { RequestFault } from './webhook-fault.ts';
import { faultOfReach, type UrlOptions } from './webhook-url.ts';

const idleMs = 5_000;
const maxIdlePerHost = 16;
/** How long one of several addresses may take before the next is also tried. */
const nextAddressAfterMs = 2_000;

/**
 * Agents that connect only to checked addresses. Idle connections are kept for seconds; they were checked when opened.
 * No request waits for another's connection.
 */
export function createCheckedAgents(lookup: AddressLookup, options: UrlOptions & { readonly ca?: string }) {
  const pool = (protocol: string) => ({
    keepAlive: true,
    timeout: idleMs,
    maxFreeSockets: maxIdlePerHost,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    lookup: createCheckedLookup(lookup, protocol, options),
  });
  const tls = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(options.ca && { ca: options.ca }) } as const;
  return {
    http: checked(new HttpAgent(pool('http:')), 'http:', options),
    https: checked(new HttpsAgent({ ...pool('https:'), ...tls }), 'https:', options),
  };
}

/**
 * Checks each new connection's address again before anything is written: a host that is an address is never looked up.
 */
function checked<A extends HttpAgent>(agent: A, protocol: string, options: UrlOptions): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (connection, callback) => {
    const socket = connect(connection, callback) as Socket;
    socket.prependOnceListener('connect', () => {
      const fault = faultOfReach(reachOf(socket.remoteAddress ?? '', options.deniedNetworks), protocol, options);
      if (fault !== undefined) socket.destroy(new RequestFault('blocked-address', `the URL ${fault}`));
    });
    return socket as Duplex;
  };
  return agent;
}
