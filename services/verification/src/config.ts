import { tmpdir } from 'node:os';
import type { Hex } from '@indelible/identifiers';
import { type Environment, type LogLevel, logLevels, readEnvironment } from '@indelible/service-runtime';

export type Config = {
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  /** Before every topic and consumer group: '' in production. */
  readonly topicPrefix: string;
  /** So long the others of a consumer group wait for a replica that died. */
  readonly kafkaSessionTimeoutMs: number;
  /** The chain-indexer's internal server: where missing blocks are requested. */
  readonly indexerUrl: string;
  readonly internalHost: string;
  readonly internalPort: number;
  /** Where uploads and answers wait for slow senders and readers, and how much of it they may take. */
  readonly spoolDirectory: string;
  readonly spoolMaxBytes: number;
  readonly logLevel: LogLevel;
};

/** What a migration needs: it runs without a broker. */
export type MigrationConfig = Pick<Config, 'databaseUrl'>;

/** @throws ConfigurationError that names every fault */
export function readConfig(environment: Environment = process.env): Config {
  const read = readEnvironment(environment);
  const config: Config = {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    kafkaBrokers: read.list('KAFKA_BROKERS'),
    schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', ['http:', 'https:']),
    topicPrefix: read.text('TOPIC_PREFIX', ''),
    kafkaSessionTimeoutMs: read.integer('KAFKA_SESSION_TIMEOUT_MS', { default: 10_000, min: 1_000, max: 300_000 }),
    indexerUrl: read.url('INDEXER_URL', ['http:', 'https:'], 'http://127.0.0.1:8102'),
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8104, min: 0, max: 65_535 }),
    spoolDirectory: read.text('SPOOL_DIRECTORY', tmpdir()),
    spoolMaxBytes: read.integer('SPOOL_MAX_BYTES', { default: 4 * 2 ** 30, min: 2 ** 27, max: 2 ** 50 }),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
  };
  read.finish();
  return config;
}

/** @throws ConfigurationError */
export function readMigrationConfig(environment: Environment = process.env): MigrationConfig {
  const read = readEnvironment(environment);
  const config = { databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']) };
  read.finish();
  return config;
}

/** What making a read model anew of its topics needs. */
export type RebuildConfig = Pick<Config, 'databaseUrl' | 'kafkaBrokers' | 'schemaRegistryUrl' | 'topicPrefix'>;

/** @throws ConfigurationError */
export function readRebuildConfig(environment: Environment = process.env): RebuildConfig {
  const read = readEnvironment(environment);
  const config: RebuildConfig = {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    kafkaBrokers: read.list('KAFKA_BROKERS'),
    schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', ['http:', 'https:']),
    topicPrefix: read.text('TOPIC_PREFIX', ''),
  };
  read.finish();
  return config;
}

/** What making it anew of the chain alone needs: no broker. */
export type ChainRebuildConfig = Pick<Config, 'databaseUrl'> & {
  readonly rpcUrls: readonly string[];
  readonly rpcTimeoutMs: number;
  readonly chainId: number;
  readonly contractAddress: Hex;
  /** The chain-indexer's: the first block that is read. */
  readonly startBlock: number;
};

/** Endpoints are checked by shape, since their text may hold a key and belongs in no message. */
const httpUrls = /^\s*https?:\/\/[^\s,]+(\s*,\s*https?:\/\/[^\s,]+)*\s*$/;

/** @throws ConfigurationError */
export function readChainRebuildConfig(environment: Environment = process.env): ChainRebuildConfig {
  const read = readEnvironment(environment);
  read.matching('RPC_URL', httpUrls, 'URLs of http or https', 'http://required');
  const config: ChainRebuildConfig = {
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    rpcUrls: read.list('RPC_URL'),
    rpcTimeoutMs: read.integer('RPC_TIMEOUT_MS', { default: 10_000, min: 100, max: 120_000 }),
    chainId: read.integer('CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    contractAddress: read.matching('CONTRACT_ADDRESS', /^0x[0-9a-fA-F]{40}$/, 'an address').toLowerCase() as Hex,
    startBlock: read.integer('START_BLOCK', { default: 1, min: 1, max: Number.MAX_SAFE_INTEGER }),
  };
  read.finish();
  return config;
}
