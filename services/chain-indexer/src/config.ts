import { profileOf } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { type Environment, type LogLevel, logLevels, readEnvironment } from '@indelible/service-runtime';

export type Config = {
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  /** Before every topic: '' in production. */
  readonly topicPrefix: string;
  /** http or https, in the order of preference. */
  readonly rpcUrls: readonly string[];
  /** ws or wss; undefined: those of the RPC with that scheme; none: polling only. */
  readonly wsUrls: readonly string[] | undefined;
  readonly rpcTimeoutMs: number;
  /** The longest answer of a node that is taken: a block that needs more is read in parts. */
  readonly rpcMaxResponseBytes: number;
  readonly chainId: number;
  readonly contractAddress: Hex;
  /** The first block that is read: that of the contract's creation, or an earlier one. */
  readonly startBlock: number;
  /** What the chain is made for: how often to ask while there is no subscription. */
  readonly pollIntervalMs: number;
  /** How long a subscription may be silent before the node is asked. */
  readonly headSilenceMs: number;
  readonly catchUpWindow: number;
  /** Messages that may wait to be published before nothing more is read. */
  readonly maxUnpublished: number;
  readonly behindGraceMs: number;
  readonly finality: { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly depth: number };
  readonly finalityStride: number;
  /** Whether the node's `safe` block is announced as well (BlocksSafe). */
  readonly safe: boolean;
  /** What is done when the node wants final blocks reverted: `halt` leaves it to an operator. */
  readonly belowFinality: 'follow' | 'halt';
  /** Blocks behind the head at which a leader is not ready. */
  readonly readyLagBlocks: number;
  readonly internalHost: string;
  readonly internalPort: number;
  readonly logLevel: LogLevel;
};

const postgres = ['postgres:', 'postgresql:'];

/** Lists are checked by shape, since the text of an endpoint may hold a key and belongs in no message. */
const httpUrls = /^\s*https?:\/\/[^\s,]+(\s*,\s*https?:\/\/[^\s,]+)*\s*$/;
const webSocketUrls = /^\s*wss?:\/\/[^\s,]+(\s*,\s*wss?:\/\/[^\s,]+)*\s*$/;

/** @throws ConfigurationError that names every fault */
export function readConfig(environment: Environment): Config {
  const read = readEnvironment(environment);
  const chainId = read.integer('CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const profile = profileOf(chainId);
  const finality = read.choice('FINALITY', ['tag', 'depth'], profile.finality.kind);
  const usualDepth = profile.finality.kind === 'depth' ? profile.finality.depth : 64;
  const depth = read.integer('FINALITY_DEPTH', { default: usualDepth, min: 1, max: 100_000 });
  const usualSafe = profile.confirmationDepth === 'safe' ? 'tag' : 'off';
  const wsUrls = read.optionalText('RPC_WS_URL');
  if (wsUrls !== undefined && wsUrls !== 'none')
    read.matching('RPC_WS_URL', webSocketUrls, 'URLs of ws or wss, or none');
  read.matching('RPC_URL', httpUrls, 'URLs of http or https', 'http://required');
  const config: Config = {
    databaseUrl: read.url('DATABASE_URL', postgres),
    kafkaBrokers: read.list('KAFKA_BROKERS'),
    schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', ['http:', 'https:']),
    topicPrefix: read.optionalText('TOPIC_PREFIX') ?? '',
    rpcUrls: read.list('RPC_URL'),
    wsUrls: wsUrls === undefined ? undefined : wsUrls === 'none' ? [] : read.list('RPC_WS_URL'),
    rpcTimeoutMs: read.integer('RPC_TIMEOUT_MS', { default: 10_000, min: 100, max: 120_000 }),
    rpcMaxResponseBytes: read.integer('RPC_MAX_RESPONSE_BYTES', { default: 2 ** 25, min: 2 ** 16, max: 2 ** 29 }),
    chainId,
    contractAddress: read.matching('CONTRACT_ADDRESS', /^0x[0-9a-fA-F]{40}$/, 'an address').toLowerCase() as Hex,
    startBlock: read.integer('START_BLOCK', { default: 1, min: 1, max: Number.MAX_SAFE_INTEGER }),
    pollIntervalMs: read.integer('POLL_INTERVAL_MS', { default: 1_000, min: 10, max: 60_000 }),
    headSilenceMs: read.integer('HEAD_SILENCE_MS', { default: 5_000, min: 10, max: 600_000 }),
    catchUpWindow: read.integer('CATCH_UP_WINDOW', { default: 50, min: 1, max: 500 }),
    maxUnpublished: read.integer('MAX_UNPUBLISHED', { default: 5_000, min: 1, max: 100_000 }),
    behindGraceMs: read.integer('BEHIND_GRACE_MS', { default: 30_000, min: 0, max: 3_600_000 }),
    finality: finality === 'tag' ? { kind: 'tag' } : { kind: 'depth', depth },
    finalityStride: read.integer('FINALITY_STRIDE', { default: 32, min: 1, max: 10_000 }),
    safe: read.choice('SAFE_BLOCKS', ['off', 'tag'], usualSafe) === 'tag',
    belowFinality: read.choice('REORG_BELOW_FINALITY', ['follow', 'halt'], 'follow'),
    readyLagBlocks: read.integer('READY_LAG_BLOCKS', { default: 10, min: 0, max: 100_000 }),
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8102, min: 0, max: 65_535 }),
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
  };
  read.finish();
  return config;
}

/** What a migration needs: it runs without a broker or a chain. @throws ConfigurationError */
export function readMigrationConfig(environment: Environment): Pick<Config, 'databaseUrl'> {
  const read = readEnvironment(environment);
  const config = { databaseUrl: read.url('DATABASE_URL', postgres) };
  read.finish();
  return config;
}
