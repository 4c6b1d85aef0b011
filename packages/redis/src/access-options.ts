import type { RedisAccess } from '@indelible/service-runtime';
import type { RedisOptions } from 'ioredis';

type AccessOptions = Pick<
  RedisOptions,
  'sentinels' | 'name' | 'sentinelPassword' | 'tls' | 'enableTLSForSentinelMode' | 'sentinelTLS'
>;

/** TLS is by the scheme of the URL, of the sentinels as well. */
export function accessOptions(url: string, { ca, sentinels }: RedisAccess = {}): AccessOptions {
  const tls = url.startsWith('rediss:') ? { ...(ca !== undefined && { ca }) } : undefined;
  if (sentinels === undefined) return tls === undefined ? {} : { tls };
  return {
    sentinels: sentinels.addresses.map(addressOf),
    name: sentinels.name,
    ...(sentinels.password !== undefined && { sentinelPassword: sentinels.password }),
    ...(tls !== undefined && { tls, enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

function addressOf(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}
