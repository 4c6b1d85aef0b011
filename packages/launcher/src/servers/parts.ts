/** The infrastructure parts of one Indelible installation, each provided on its own. */
export type PartName = 'postgres' | 'kafka' | 'registry' | 'redis' | 'anvil';

/** Every part, in the order of reports; stopping reverses it. */
export const PART_NAMES: readonly PartName[] = ['postgres', 'redis', 'anvil', 'kafka', 'registry'];

/** Addresses by which services reach the parts. `kafkaBrokers` is a comma-separated list of host:port. */
export interface Addresses {
  databaseUrl: string;
  kafkaBrokers: string;
  schemaRegistryUrl: string;
  redisUrl: string;
  rpcUrl: string;
}

/** The key of {@link Addresses} of each part. */
export const ADDRESS_OF = {
  postgres: 'databaseUrl',
  kafka: 'kafkaBrokers',
  registry: 'schemaRegistryUrl',
  redis: 'redisUrl',
  anvil: 'rpcUrl',
} as const satisfies Record<PartName, keyof Addresses>;

/** How a part is provided: a given address, a container, or a local process. */
export type Provider = 'given' | 'docker' | 'native';

/** One line of progress. `started` is followed by exactly one `done` or `failed` of the same step. */
export interface Step {
  readonly name: string;
  readonly state: 'started' | 'done' | 'failed';
  /** Seconds since `started`; 0 on `started`. */
  readonly seconds: number;
  /** Details for the reader: an address, a version, a replaced port. */
  readonly detail: string;
}

/** A listener for progress; must not throw. */
export type OnStep = (step: Step) => void;

/** A part's process that ended although nobody stopped it. */
export interface UnexpectedExit {
  readonly part: PartName;
  readonly code: number | null;
  readonly signal: string | null;
  readonly lastLines: readonly string[];
}
