import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isLocalhost, reachOf } from './addresses.ts';
import { RequestFault } from './webhook-fault.ts';
import { faultOfReach, type UrlOptions } from './webhook-url.ts';

/** A name's addresses, IPv4 or IPv6. Rejects when there is none. */
export type AddressLookup = (hostname: string) => Promise<readonly string[]>;

const maxAddresses = 8;

/**
 * A connection's `lookup`: resolves once, and returns only what was checked, so that a second response of the name
 * server never counts. One address that a webhook must not reach refuses the whole name.
 */
export function createCheckedLookup(lookup: AddressLookup, protocol: string, options: UrlOptions): LookupFunction {
  const resolve = async (hostname: string) => {
    const addresses = isLocalhost(hostname) ? ['127.0.0.1', '::1'] : await addressesOf(lookup, hostname);
    const fault = addresses
      .map((address) => faultOfReach(reachOf(address, options.deniedNetworks), protocol, options))
      .find(Boolean);
    if (fault !== undefined) throw new RequestFault('blocked-address', `the URL ${fault}`);
    return addresses.slice(0, maxAddresses).map((address) => ({ address, family: isIP(address) }));
  };
  return (hostname, _options, callback) => {
    resolve(hostname).then(
      (addresses) => callback(null, addresses),
      (error: Error) => callback(error, []),
    );
  };
}

async function addressesOf(lookup: AddressLookup, hostname: string): Promise<readonly string[]> {
  const addresses = await lookup(hostname).catch(() => []);
  if (addresses.length === 0) throw new RequestFault('unresolvable', 'the host name has no address');
  return addresses;
}

/**
 * Queries this machine's name servers, or the given ones (`address:port`), without a thread: those of `dns.lookup` are
 * few, and an unresponsive name server would block them, and with them all other names and files of the process. Does
 * not know the names in /etc/hosts.
 */
export function createNameServerLookup(servers?: readonly string[]): {
  readonly lookup: AddressLookup;
  cancel(): void;
} {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return {
    async lookup(hostname) {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    },
    cancel: () => resolver.cancel(),
  };
}
