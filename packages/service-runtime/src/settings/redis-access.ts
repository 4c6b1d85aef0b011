import { authorities } from './pem-text.ts';
import { madeOf, optional } from './setting.ts';
import { listMatching, text } from './variables.ts';

/** The authority of Redis' certificate, and the sentinels that know its leader. */
export type RedisAccess = {
  readonly ca?: string;
  readonly sentinels?: {
    /** host:port */
    readonly addresses: readonly string[];
    readonly name: string;
    readonly password?: string;
  };
};

const addresses = /^\s*(?:[^\s:,]+|\[[\d.:a-fA-F]+\]):\d{1,5}(?:\s*,\s*(?:[^\s:,]+|\[[\d.:a-fA-F]+\]):\d{1,5})*\s*$/;

export const redisAccess = madeOf(
  {
    ca: authorities(
      'REDIS_TLS_CA',
      'The certificate authority that Redis and its sentinels are checked against (rediss)',
    ),
    sentinels: optional(
      listMatching('REDIS_SENTINELS', {
        meaning:
          'Redis sentinels, which know the leading server; REDIS_URL then gives scheme, user, password and database, and no address',
        shape: addresses,
        values: 'host:port, comma-separated',
      }),
    ),
    name: optional(text('REDIS_SENTINEL_NAME', { meaning: 'The name of the leading server among the sentinels' })),
    password: optional(text('REDIS_SENTINEL_PASSWORD', { meaning: 'Password of the sentinels', secrecy: 'whole' })),
  },
  ({ ca, sentinels, name, password }, fault): RedisAccess | undefined => {
    if (sentinels !== undefined && name === undefined) fault('REDIS_SENTINEL_NAME', 'is required with REDIS_SENTINELS');
    if (sentinels === undefined && name !== undefined) fault('REDIS_SENTINELS', 'is required with REDIS_SENTINEL_NAME');
    if (ca === undefined && sentinels === undefined) return undefined;
    return {
      ...(ca && { ca }),
      ...(sentinels && { sentinels: { addresses: sentinels, name: name ?? '', ...(password && { password }) } }),
    };
  },
);
