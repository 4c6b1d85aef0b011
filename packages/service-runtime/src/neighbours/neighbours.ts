import type { KafkaSecurity, TlsSettings } from '../settings/kafka-security.ts';
import type { RedisAccess } from '../settings/redis-access.ts';
import type { RegistryAccess } from '../settings/schema-registry.ts';

/** A server that a service needs, as an operator knows it. */
export type Neighbour = {
  readonly name: string;
  /** The variable that names it. */
  readonly variable: string;
  /** Any of these will do; with credentials, which are shown nowhere. */
  readonly urls: readonly string[];
  /** How its certificate is checked, where it speaks TLS. */
  readonly tls?: TlsSettings | undefined;
  readonly auth?: RegistryAccess['auth'] | undefined;
};

/** The addresses in a service's configuration, by the names that all services share. */
export type NeighbourAddresses = {
  readonly databaseUrl?: string;
  readonly kafkaBrokers?: readonly string[];
  readonly kafkaSecurity?: KafkaSecurity | undefined;
  readonly schemaRegistryUrl?: string;
  readonly schemaRegistryAccess?: RegistryAccess | undefined;
  readonly redisUrl?: string;
  readonly redisAccess?: RedisAccess | undefined;
  readonly rpcUrls?: readonly string[];
};

export function neighboursOf(addresses: NeighbourAddresses): Neighbour[] {
  const { kafkaSecurity, schemaRegistryAccess, redisAccess } = addresses;
  const broker = kafkaSecurity?.tls === undefined ? 'kafka' : 'kafkas';
  const sentinels = redisAccess?.sentinels?.addresses;
  const known: [Omit<Neighbour, 'urls'>, readonly (string | undefined)[] | undefined][] = [
    [{ name: 'Postgres', variable: 'DATABASE_URL' }, [addresses.databaseUrl]],
    [
      { name: 'Kafka', variable: 'KAFKA_BROKERS', tls: kafkaSecurity?.tls },
      addresses.kafkaBrokers?.map((address) => `${broker}://${address}`),
    ],
    [
      {
        name: 'the schema registry',
        variable: 'SCHEMA_REGISTRY_URL',
        tls: schemaRegistryAccess,
        auth: schemaRegistryAccess?.auth,
      },
      [addresses.schemaRegistryUrl],
    ],
    sentinels === undefined
      ? [{ name: 'Redis', variable: 'REDIS_URL' }, [addresses.redisUrl]]
      : [{ name: 'Redis', variable: 'REDIS_SENTINELS' }, sentinels.map((address) => `redis://${address}`)],
    [{ name: 'the chain node', variable: 'RPC_URL' }, addresses.rpcUrls],
  ];
  return known.flatMap(([neighbour, given]) => {
    const urls = (given ?? []).filter((url) => url !== undefined && URL.canParse(url)) as string[];
    return urls.length === 0 ? [] : [{ ...neighbour, urls }];
  });
}

const defaultPorts: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'kafka:': 9092,
  'kafkas:': 9092,
  'redis:': 6379,
  'rediss:': 6379,
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
};

export function hostAndPort(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(url);
  // an IPv6 address is in brackets, which sockets do not take
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port) };
}

/** `Kafka at kafka:9092 (KAFKA_BROKERS)`: without user, password, path or query (I10). */
export function describeNeighbour({ name, variable, urls }: Neighbour): string {
  const addresses = urls.map((url) => {
    const { host, port } = hostAndPort(url);
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  });
  return `${name} at ${addresses.join(', ')} (${variable})`;
}
