import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where an address leads: the internet, this machine, or somewhere a webhook must never reach. */
export type Reach = 'public' | 'loopback' | 'never';

/** Contains all public IPv6 addresses: others embed IPv4 addresses (`::a.b.c.d`, NAT64) or are special. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** A public address, but within Azure it leads to the platform's services of the machine. */
const azurePlatform = '168.63.129.16';

/** Networks that webhooks must not reach, besides non-public ones. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Reads `203.0.113.0/24,2001:db8::/32`. `faults` has one for each entry that is no CIDR network, or has bits set after
 * its prefix.
 */
export function parseNetworks(texts: readonly string[]): {
  readonly networks: readonly Network[];
  readonly faults: readonly string[];
} {
  const networks: Network[] = [];
  const faults: string[] = [];
  for (const text of texts)
    if (isNetwork(text)) networks.push(ipaddr.parseCIDR(text));
    else faults.push(`${JSON.stringify(text)} is no network such as 203.0.113.0/24`);
  return { networks, faults };
}

/** With bits behind the prefix, another network may be meant. */
function isNetwork(text: string): boolean {
  const [address = '', , ...rest] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0 || !ipaddr.isValidCIDR(text)) return false;
  const first =
    isIP(address) === 4 ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  return first.toNormalizedString() === ipaddr.parse(address).toNormalizedString();
}

/** `never` for an address with a zone, an invalid one, or one of a denied network. */
export function reachOf(address: string, denied: readonly Network[] = []): Reach {
  if (isIP(address) === 0 || address.includes('%')) return 'never';
  const parsed = ipaddr.parse(address);
  if (denied.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))) return 'never';
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast') return 'never';
  if (parsed instanceof ipaddr.IPv6) return parsed.match(globalUnicast) ? 'public' : 'never';
  return address === azurePlatform ? 'never' : 'public';
}

/** Names of this machine, whatever a name server returns (RFC 6761). */
export function isLocalhost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}
