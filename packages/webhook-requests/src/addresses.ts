import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Who an address leads to: anyone on the internet, this machine, or something a webhook never may. */
export type Reach = 'public' | 'loopback' | 'never';

/** All public IPv6 addresses are here: what is outside embeds IPv4 addresses (`::a.b.c.d`, NAT64) or is special. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public by its number, but within Azure it leads to the platform's own services of the machine. */
const azurePlatform = '168.63.129.16';

/** An address with a zone, or that is none, is `never`. */
export function reachOf(address: string): Reach {
  if (isIP(address) === 0 || address.includes('%')) return 'never';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast') return 'never';
  if (parsed instanceof ipaddr.IPv6) return parsed.match(globalUnicast) ? 'public' : 'never';
  return address === azurePlatform ? 'never' : 'public';
}

/** Names that mean this machine, whatever a name server says (RFC 6761). */
export function isLocalhost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}
