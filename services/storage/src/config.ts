import { type BlobStoreConfig, readBlobStoreConfig } from '@indelible/blob-store';
import { type Environment, type LogLevel, logLevels, readEnvironment } from '@indelible/service-runtime';

export type Config = {
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly redisUrl: string;
  /** Before every topic, consumer group and reply channel: '' in production. */
  readonly topicPrefix: string;
  /** So long the others of a consumer group wait for a replica that died. */
  readonly kafkaSessionTimeoutMs: number;
  readonly blobStore: BlobStoreConfig;
  /** How old unclaimed staged content must be before it is swept. */
  readonly sweepAfterMs: number;
  readonly sweepIntervalMs: number;
  readonly internalHost: string;
  readonly internalPort: number;
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
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    topicPrefix: read.text('TOPIC_PREFIX', ''),
    kafkaSessionTimeoutMs: read.integer('KAFKA_SESSION_TIMEOUT_MS', { default: 10_000, min: 1_000, max: 300_000 }),
    blobStore: readBlobStoreConfig(read),
    sweepAfterMs: read.integer('SWEEP_AFTER_SECONDS', { default: 86_400, min: 60, max: 31_536_000 }) * 1_000,
    sweepIntervalMs: read.integer('SWEEP_INTERVAL_SECONDS', { default: 300, min: 1, max: 86_400 }) * 1_000,
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8103, min: 0, max: 65_535 }),
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
