import type { Hex } from '@indelible/identifiers';
import { publicTopicDefaults } from '@indelible/public-events';
import { type Environment, type LogLevel, logLevels, readEnvironment } from '@indelible/service-runtime';
import { parseSealingKeys, type SealingKey } from '@indelible/webhook-requests';

export type Config = {
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  /** Before every internal topic and consumer group: '' in production. */
  readonly topicPrefix: string;
  /** Before the name of the public topic. */
  readonly publicTopicPrefix: string;
  /** So long the others of a consumer group wait for a replica that died. */
  readonly kafkaSessionTimeoutMs: number;
  /** `ce_source` of all events: which installation they are from. */
  readonly eventSource: string;
  /** Of the REST API, without a slash at its end: events name their schemas there. */
  readonly publicUrl: string;
  /** Lower case. */
  readonly contractAddress: Hex;
  /** They seal the secrets of webhooks: the first seals, all open. */
  readonly webhookSealingKeys: readonly SealingKey[];
  /** Whether webhooks may lead to this machine, also by http: for a local start and tests alone. */
  readonly webhookAllowLoopbackHttp: boolean;
  /** Webhooks of one account. */
  readonly accountWebhooks: number;
  readonly internalHost: string;
  readonly internalPort: number;
  readonly logLevel: LogLevel;
};

/** What a replay needs: what the service makes records of, and no server of its own. */
export type ReplayConfig = Pick<
  Config,
  | 'databaseUrl'
  | 'kafkaBrokers'
  | 'schemaRegistryUrl'
  | 'topicPrefix'
  | 'publicTopicPrefix'
  | 'eventSource'
  | 'publicUrl'
>;

/** What a migration needs: it runs without a broker. */
export type MigrationConfig = Pick<Config, 'databaseUrl'>;

/** @throws ConfigurationError that names every fault */
export function readConfig(environment: Environment = process.env): Config {
  const read = readEnvironment(environment);
  const config: Config = {
    ...readReplaySettings(read),
    kafkaSessionTimeoutMs: read.integer('KAFKA_SESSION_TIMEOUT_MS', { default: 10_000, min: 1_000, max: 300_000 }),
    contractAddress: read.matching('CONTRACT_ADDRESS', /^0x[0-9a-fA-F]{40}$/, 'an address').toLowerCase() as Hex,
    webhookSealingKeys: sealingKeysOf(read),
    webhookAllowLoopbackHttp: read.flag('WEBHOOK_ALLOW_LOOPBACK_HTTP', false),
    accountWebhooks: read.integer('ACCOUNT_WEBHOOKS', { default: 20, min: 0, max: 1_000 }),
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8105, min: 0, max: 65_535 }),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
  };
  read.finish();
  return config;
}

const readReplaySettings = (read: ReturnType<typeof readEnvironment>): ReplayConfig => ({
  databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
  kafkaBrokers: read.list('KAFKA_BROKERS'),
  schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', ['http:', 'https:']),
  topicPrefix: read.text('TOPIC_PREFIX', ''),
  publicTopicPrefix: read.text('PUBLIC_TOPIC_PREFIX', publicTopicDefaults.prefix),
  eventSource: read.matching('EVENT_SOURCE', /^[!-~]{1,200}$/, 'a URI reference (RFC 3986)', 'indelible'),
  publicUrl: read.url('PUBLIC_URL', ['http:', 'https:'], 'http://127.0.0.1:8080').replace(/\/+$/, ''),
});

/** @throws ConfigurationError that names every fault */
export function readReplayConfig(environment: Environment = process.env): ReplayConfig {
  const read = readEnvironment(environment);
  const config = readReplaySettings(read);
  read.finish();
  return config;
}

/** Its faults name no key. */
function sealingKeysOf(read: ReturnType<typeof readEnvironment>): readonly SealingKey[] {
  const text = read.text('WEBHOOK_SEALING_KEYS');
  const { keys, faults } = parseSealingKeys(text);
  if (text !== '' && faults.length > 0) read.fault('WEBHOOK_SEALING_KEYS', faults.join('; '));
  return keys;
}

/** @throws ConfigurationError */
export function readMigrationConfig(environment: Environment = process.env): MigrationConfig {
  const read = readEnvironment(environment);
  const config = { databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']) };
  read.finish();
  return config;
}
