import { type BlobStoreConfig, readBlobStoreConfig } from '@indelible/blob-store';
import { type Environment, type LogLevel, logLevels, readEnvironment } from '@indelible/service-runtime';

export type Config = {
  readonly logLevel: LogLevel;
  readonly httpHost: string;
  readonly httpPort: number;
  readonly internalHost: string;
  readonly internalPort: number;
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly topicPrefix: string;
  /** So long the others of a consumer group wait for a replica that died. */
  readonly kafkaSessionTimeoutMs: number;
  readonly redisUrl: string;
  readonly verificationUrl: string;
  readonly indexerUrl: string;
  /** Where the storage service answers; the gateway asks it when an upload needs more than its own read model. */
  readonly storageUrl: string | undefined;
  /** Where notifications answers: it keeps the log of public events. */
  readonly notificationsUrl: string;
  readonly blobStore: BlobStoreConfig;
  readonly chainId: number;
  /** How long a request waits for the chain before it is answered 503 with its status resource. */
  readonly waitLimitMs: number;
  readonly maxFileBytes: number;
  readonly maxDataBytes: number;
  /** Of one request to verify a collection. */
  readonly maxVerifyObjects: number;
  readonly maxVerifyBytes: number;
  /** Lines of one batch of stamps; an answer ends where there are more. */
  readonly maxBatchLines: number;
  /** Lines of batches that are under way in this process; a batch alone gets half of them. */
  readonly maxBatchWindow: number;
  /** Requests that wait for an outcome at the same time; one more is answered 503. */
  readonly maxWaiting: number;
  /** Commands of a topic that may wait for who handles them; beyond it what would publish another is answered 503. */
  readonly maxCommandLag: number;
  /** How long waiting requests may still finish when the process is told to end. */
  readonly drainMs: number;
  /** A client that sends nothing for this long, with headers or a body under way, is answered 408. */
  readonly stalledMs: number;
  /** Bytes a second that a client sends or takes at least, over twice `stalledMs` in which it is its turn. */
  readonly minRate: number;
  /** The address clients use, with scheme; left out, Location is a path. */
  readonly publicUrl: string | undefined;
  /** Of keys whose account has no allowance of its own; undefined: no limit. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Of an account in a UTC day: new stamps and collections, and bytes of content; undefined: no quota. */
  readonly accountStampsPerDay: number | undefined;
  readonly accountBytesPerDay: number | undefined;
  /** Requests under way and open connections, of this process; what is beyond is answered 503 at the door. */
  readonly maxRequests: number;
  readonly maxConnections: number;
  /** Bytes of bodies and answers that are held as a whole, of this process; accounts share them. */
  readonly maxHeldBytes: number;
  /** Open streams of events, of this process; accounts share them. */
  readonly maxEventStreams: number;
  /** Of the newest events of accounts that have streams here; accounts share it. */
  readonly eventBufferBytes: number;
  /** How often a stream without events shows that it lives. */
  readonly eventHeartbeatMs: number;
  /** Origins whose scripts may use the API; none, and CORS is off. `*` is every origin. */
  readonly corsOrigins: readonly string[];
};

type Reader = ReturnType<typeof readEnvironment>;

export const databaseUrl = (read: Reader): string => read.url('DATABASE_URL', ['postgres:', 'postgresql:']);

const http = ['http:', 'https:'];
const tebibyte = 2 ** 40;
const origin = String.raw`(?:\*|https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?)`;
const origins = new RegExp(String.raw`^\s*${origin}(?:\s*,\s*${origin})*\s*$`, 'i');
const originsOf = (list: string): readonly string[] =>
  list
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== '');

/** `RATE_LIMIT_PER_SECOND=0` is no limit. */
function rateLimitOf(read: Reader): Config['rateLimit'] {
  const perSecond = read.integer('RATE_LIMIT_PER_SECOND', { default: 1_000, min: 0, max: 1_000_000 });
  const burst = read.integer('RATE_LIMIT_BURST', { default: 5_000, min: 1, max: 10_000_000 });
  return perSecond === 0 ? undefined : { perSecond, burst };
}

/** 0 is no quota. The defaults allow one key its full rate, all day. */
function quotaOf(read: Reader, name: string, bounds: { default: number; max: number }): number | undefined {
  const perDay = read.integer(name, { min: 0, ...bounds });
  return perDay === 0 ? undefined : perDay;
}

/** @throws ConfigurationError naming every fault */
export function readConfig(environment: Environment): Config {
  const read = readEnvironment(environment);
  const optionalUrl = (name: string): string | undefined =>
    read.optionalText(name) === undefined ? undefined : read.url(name, http).replace(/\/+$/, '');
  const config: Config = {
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    httpHost: read.text('HTTP_HOST', '0.0.0.0'),
    httpPort: read.integer('HTTP_PORT', { default: 8080, min: 0, max: 65_535 }),
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8100, min: 0, max: 65_535 }),
    databaseUrl: databaseUrl(read),
    kafkaBrokers: read.list('KAFKA_BROKERS'),
    schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', http),
    topicPrefix: read.optionalText('TOPIC_PREFIX') ?? '',
    kafkaSessionTimeoutMs: read.integer('KAFKA_SESSION_TIMEOUT_MS', { default: 10_000, min: 1_000, max: 300_000 }),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    verificationUrl: read.url('VERIFICATION_URL', http).replace(/\/+$/, ''),
    indexerUrl: read.url('INDEXER_URL', http).replace(/\/+$/, ''),
    storageUrl: optionalUrl('STORAGE_URL'),
    notificationsUrl: read.url('NOTIFICATIONS_URL', http).replace(/\/+$/, ''),
    blobStore: readBlobStoreConfig(read),
    chainId: read.integer('CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER }),
    waitLimitMs: read.integer('WAIT_LIMIT_MS', { default: 25_000, min: 100, max: 600_000 }),
    maxFileBytes: read.integer('MAX_FILE_BYTES', { default: 5 * 2 ** 30, min: 1, max: tebibyte }),
    maxDataBytes: read.integer('MAX_DATA_BYTES', { default: 16 * 2 ** 20, min: 1, max: 2 ** 28 }),
    maxVerifyObjects: read.integer('MAX_VERIFY_OBJECTS', { default: 1_000_000, min: 1, max: 1_000_000 }),
    maxVerifyBytes: read.integer('MAX_VERIFY_BYTES', { default: 256 * 2 ** 20, min: 1, max: 2 ** 30 }),
    maxBatchLines: read.integer('MAX_BATCH_LINES', { default: 100_000, min: 1, max: 1_000_000 }),
    maxBatchWindow: read.integer('MAX_BATCH_WINDOW', { default: 40_000, min: 1, max: 1_000_000 }),
    maxWaiting: read.integer('MAX_WAITING', { default: 20_000, min: 1, max: 1_000_000 }),
    maxCommandLag: read.integer('MAX_COMMAND_LAG', { default: 100_000, min: 1, max: 1_000_000_000 }),
    drainMs: read.integer('DRAIN_MS', { default: 20_000, min: 0, max: 28_000 }),
    stalledMs: read.integer('STALLED_MS', { default: 30_000, min: 100, max: 600_000 }),
    minRate: read.integer('MIN_BYTES_PER_SECOND', { default: 1_024, min: 0, max: 2 ** 20 }),
    publicUrl: optionalUrl('PUBLIC_URL'),
    rateLimit: rateLimitOf(read),
    accountStampsPerDay: quotaOf(read, 'ACCOUNT_STAMPS_PER_DAY', { default: 100_000_000, max: 1_000_000_000 }),
    accountBytesPerDay: quotaOf(read, 'ACCOUNT_BYTES_PER_DAY', { default: 5 * tebibyte, max: 1_024 * tebibyte }),
    maxRequests: read.integer('MAX_REQUESTS', { default: 25_000, min: 1, max: 1_000_000 }),
    maxConnections: read.integer('MAX_CONNECTIONS', { default: 50_000, min: 1, max: 1_000_000 }),
    maxHeldBytes: read.integer('MAX_HELD_BYTES', { default: 2 ** 29, min: 2 ** 20, max: 2 ** 40 }),
    maxEventStreams: read.integer('MAX_EVENT_STREAMS', { default: 4_000, min: 1, max: 20_000 }),
    eventBufferBytes: read.integer('EVENT_BUFFER_BYTES', { default: 64 * 2 ** 20, min: 2 ** 20, max: 2 ** 32 }),
    eventHeartbeatMs: read.integer('EVENT_HEARTBEAT_MS', { default: 15_000, min: 100, max: 600_000 }),
    corsOrigins: originsOf(
      read.matching('CORS_ORIGINS', origins, 'origins (https://app.example.com) or *, by comma', ''),
    ),
  };
  read.finish();
  return config;
}

/** What making a read model anew needs: where its messages are, and where it is. */
export type RebuildConfig = Pick<Config, 'databaseUrl' | 'kafkaBrokers' | 'schemaRegistryUrl' | 'topicPrefix'>;

/** @throws ConfigurationError */
export function readRebuildConfig(environment: Environment): RebuildConfig {
  const read = readEnvironment(environment);
  const config: RebuildConfig = {
    databaseUrl: databaseUrl(read),
    kafkaBrokers: read.list('KAFKA_BROKERS'),
    schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', http),
    topicPrefix: read.optionalText('TOPIC_PREFIX') ?? '',
  };
  read.finish();
  return config;
}
