/** A server that a service cannot work without, as an operator knows it. */
export type Neighbour = {
  readonly name: string;
  /** The variable that names it. */
  readonly variable: string;
  /** Any of these will do; with credentials, which are shown nowhere. */
  readonly urls: readonly string[];
};

/** The addresses in a service's configuration, by the names that all services share. */
export type NeighbourAddresses = {
  readonly databaseUrl?: string;
  readonly kafkaBrokers?: readonly string[];
  readonly schemaRegistryUrl?: string;
  readonly redisUrl?: string;
  readonly rpcUrls?: readonly string[];
};

export function neighboursOf(addresses: NeighbourAddresses): Neighbour[] {
  const known: [string, string, readonly (string | undefined)[] | undefined][] = [
    ['Postgres', 'DATABASE_URL', [addresses.databaseUrl]],
    ['Kafka', 'KAFKA_BROKERS', addresses.kafkaBrokers?.map((broker) => `kafka://${broker}`)],
    ['the schema registry', 'SCHEMA_REGISTRY_URL', [addresses.schemaRegistryUrl]],
    ['Redis', 'REDIS_URL', [addresses.redisUrl]],
    ['the chain node', 'RPC_URL', addresses.rpcUrls],
  ];
  return known.flatMap(([name, variable, given]) => {
    const urls = (given ?? []).filter((url) => url !== undefined && URL.canParse(url)) as string[];
    return urls.length === 0 ? [] : [{ name, variable, urls }];
  });
}

const defaultPorts: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'kafka:': 9092,
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
