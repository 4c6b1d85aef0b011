import { type Environment, type LogLevel, logLevels, readEnvironment } from '@indelible/service-runtime';

export type Config = {
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  /** Before every topic and consumer group: '' in production. */
  readonly topicPrefix: string;
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
    topicPrefix: read.text('TOPIC_PREFIX', ''),
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8105, min: 0, max: 65_535 }),
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
