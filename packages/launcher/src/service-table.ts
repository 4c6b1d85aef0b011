import { resolve } from 'node:path';
import type { ServiceName } from '@indelible/cli/provisioning';

export { type ServiceName, serviceNames } from '@indelible/cli/provisioning';

const root = resolve(import.meta.dirname, '../../..');

export const entryOf = (service: ServiceName): string => resolve(root, 'services', service, 'src/main.ts');

/**
 * How Node runs a service. Lists of a million objects pass through verification: a small young generation (MiB per
 * half) keeps its memory flat (docs/hot-path.md, Memory or time).
 */
export const nodeFlagsOf = (service: ServiceName): readonly string[] =>
  service === 'verification' ? ['--max-semi-space-size=8'] : [];

/** Node's compile cache of the services: halves the time of the next start, and of one after a crash. */
export const compileCache = resolve(root, '.local', 'compile-cache');

/** The ports people expect, of the API and of each service's inside. */
export const wantedPorts = {
  api: 8080,
  gateway: 8100,
  stamping: 8101,
  'chain-indexer': 8102,
  storage: 8103,
  verification: 8104,
  notifications: 8105,
} as const satisfies Record<ServiceName | 'api', number>;

export type ServicePorts = Readonly<Record<ServiceName | 'api', number>>;

export type ServiceSettings = {
  readonly databaseUrl: string;
  /** For the role of each service; without one, `databaseUrl` applies. */
  readonly databaseUrls?: Readonly<Partial<Record<ServiceName, string>>>;
  readonly kafkaBrokers: string;
  readonly schemaRegistryUrl: string;
  readonly redisUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contractAddress: string;
  readonly operatorSeed: string;
  /** `id:base64`, as notifications takes it. */
  readonly webhookSealingKeys: string;
  readonly blobDirectory: string;
  readonly topicPrefix: string;
  /** Before the name of the public topic, after the topic prefix. */
  readonly publicTopicPrefix: string;
  readonly ports: ServicePorts;
};

/** The standard variables of OpenTelemetry: every service takes them. */
export const openTelemetryOf = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('OTEL_') && value !== undefined ? [[name, value] as const] : [],
    ),
  );

/** The environment of a service: what it needs of others, and only its own secrets. */
export function environmentOf(service: ServiceName, settings: ServiceSettings): Record<string, string> {
  const { ports } = settings;
  const internal = (of: ServiceName): string => `http://127.0.0.1:${ports[of]}`;
  const common = {
    DATABASE_URL: settings.databaseUrls?.[service] ?? settings.databaseUrl,
    KAFKA_BROKERS: settings.kafkaBrokers,
    SCHEMA_REGISTRY_URL: settings.schemaRegistryUrl,
    TOPIC_PREFIX: settings.topicPrefix,
    INTERNAL_HOST: '127.0.0.1',
    INTERNAL_PORT: String(ports[service]),
    // There is no other replica to move clients to.
    LEAVE_MS: '0',
    CHAIN_ID: String(settings.chainId),
  };
  const blobs = { BLOB_STORE: 'local', BLOB_STORE_DIRECTORY: settings.blobDirectory };
  const redis = { REDIS_URL: settings.redisUrl };
  const chain = { RPC_URL: settings.rpcUrl, CONTRACT_ADDRESS: settings.contractAddress };
  switch (service) {
    case 'gateway':
      return {
        ...common,
        ...blobs,
        ...redis,
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(ports.api),
        RATE_LIMIT_PER_SECOND: '0',
        ACCOUNT_STAMPS_PER_DAY: '0',
        ACCOUNT_BYTES_PER_DAY: '0',
        VERIFICATION_URL: internal('verification'),
        INDEXER_URL: internal('chain-indexer'),
        STAMPING_URL: internal('stamping'),
        STORAGE_URL: internal('storage'),
        NOTIFICATIONS_URL: internal('notifications'),
      };
    case 'stamping':
      return {
        ...common,
        ...redis,
        ...chain,
        INDEXER_URL: internal('chain-indexer'),
        OPERATOR_SEED: settings.operatorSeed,
      };
    case 'chain-indexer':
      return { ...common, ...chain };
    case 'storage':
      return { ...common, ...blobs, ...redis, STAMPING_URL: internal('stamping') };
    case 'verification':
      return { ...common, INDEXER_URL: internal('chain-indexer') };
    case 'notifications':
      return {
        ...common,
        CONTRACT_ADDRESS: settings.contractAddress,
        PUBLIC_TOPIC_PREFIX: `${settings.topicPrefix}${settings.publicTopicPrefix}`,
        PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
        WEBHOOK_SEALING_KEYS: settings.webhookSealingKeys,
        WEBHOOK_ALLOW_LOOPBACK_HTTP: 'true',
      };
  }
}
