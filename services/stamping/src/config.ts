import { type ChainProfile, type ConfirmationDepth, profileOf } from '@indelible/ethereum';
import {
  ConfigurationError,
  type Environment,
  type LogLevel,
  logLevels,
  readEnvironment,
} from '@indelible/service-runtime';

export type Config = {
  readonly logLevel: LogLevel;
  readonly databaseUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly schemaRegistryUrl: string;
  readonly topicPrefix: string;
  /** So long the others of a consumer group wait for a replica that died. */
  readonly kafkaSessionTimeoutMs: number;
  readonly redisUrl: string;
  readonly rpcUrls: readonly string[];
  readonly chainId: number;
  readonly contractAddress: `0x${string}`;
  /** Hex of the seed of operator and lanes, or the path of its file. */
  readonly operatorSeed: string;
  readonly lanes: number;
  /** Blocks a commitment's block must have, itself included, before its stamp is confirmed; or the node's word. */
  readonly confirmation: ConfirmationDepth;
  readonly batchLingerMs: number;
  readonly maxBatchItems: number;
  readonly maxBatchesInFlight: number;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  readonly laneLeaseMs: number;
  readonly rebroadcastMs: number;
  /** So long a transaction waits for a block before one with higher fees takes its place. */
  readonly replaceAfterMs: number;
  /** A lane with less takes nothing new. */
  readonly laneReserveWei: bigint;
  readonly fundsPollMs: number;
  /** Stamps that may wait for a batch; beyond it what is new is refused with 503. */
  readonly maxWaitingStamps: number;
  /** Of the chain-indexer's internal server: blocks that are missing are requested from it. */
  readonly indexerUrl: string;
  readonly internalHost: string;
  readonly internalPort: number;
};

type Reader = ReturnType<typeof readEnvironment>;

export const databaseUrl = (read: Reader): string => read.url('DATABASE_URL', ['postgres:', 'postgresql:']);

const gwei = 1_000_000_000n;

/** `1` to `1000`, `safe` or `finalized`; what is usual on the chain when not given. */
function confirmationOf(read: Reader, profile: ChainProfile): ConfirmationDepth {
  const given = read.matching(
    'CONFIRMATION_DEPTH',
    /^(?:[1-9]\d{0,2}|1000|safe|finalized)$/,
    '1 to 1000, safe or finalized',
    String(profile.confirmationDepth),
  );
  return given === 'safe' || given === 'finalized' ? given : Number(given);
}

/** @throws ConfigurationError naming every fault */
export function readConfig(environment: Environment): Config {
  const read = readEnvironment(environment);
  const chainId = read.integer('CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const profile = profileOf(chainId);
  const config: Config = {
    logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
    databaseUrl: databaseUrl(read),
    kafkaBrokers: read.list('KAFKA_BROKERS'),
    schemaRegistryUrl: read.url('SCHEMA_REGISTRY_URL', ['http:', 'https:']),
    topicPrefix: read.optionalText('TOPIC_PREFIX') ?? '',
    kafkaSessionTimeoutMs: read.integer('KAFKA_SESSION_TIMEOUT_MS', { default: 10_000, min: 1_000, max: 300_000 }),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    rpcUrls: read.list('RPC_URL'),
    chainId,
    contractAddress: read
      .matching('CONTRACT_ADDRESS', /^0x[0-9a-fA-F]{40}$/, 'an address')
      .toLowerCase() as `0x${string}`,
    operatorSeed: read.text('OPERATOR_SEED', read.optionalText('OPERATOR_SEED_FILE')),
    lanes: read.integer('LANES', { default: 1, min: 1, max: 64 }),
    confirmation: confirmationOf(read, profile),
    batchLingerMs: read.integer('BATCH_LINGER_MS', { default: 15, min: 0, max: 10_000 }),
    maxBatchItems: read.integer('MAX_BATCH_ITEMS', { default: 3_000, min: 1, max: 3_900 }),
    maxBatchesInFlight: read.integer('MAX_BATCHES_IN_FLIGHT', { default: 16, min: 1, max: 64 }),
    maxFeePerGas:
      BigInt(read.integer('MAX_FEE_PER_GAS_GWEI', { default: profile.maxFeePerGasGwei, min: 1, max: 1_000_000 })) *
      gwei,
    laneLeaseMs: read.integer('LANE_LEASE_MS', { default: 5_000, min: 1_000, max: 300_000 }),
    rebroadcastMs: read.integer('REBROADCAST_MS', { default: 5_000, min: 100, max: 600_000 }),
    replaceAfterMs: read.integer('REPLACE_AFTER_MS', {
      default: Math.min(Math.max(profile.blockTimeMs * 5, 10_000), 120_000),
      min: 100,
      max: 86_400_000,
    }),
    laneReserveWei: BigInt(read.integer('LANE_RESERVE_GWEI', { default: 10_000_000, min: 0, max: 1e15 })) * gwei,
    fundsPollMs: read.integer('FUNDS_POLL_MS', { default: 10_000, min: 100, max: 3_600_000 }),
    maxWaitingStamps: read.integer('MAX_WAITING_STAMPS', { default: 200_000, min: 1, max: 100_000_000 }),
    indexerUrl: read.url('INDEXER_URL', ['http:', 'https:'], 'http://127.0.0.1:8102'),
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    internalPort: read.integer('INTERNAL_PORT', { default: 8101, min: 0, max: 65_535 }),
  };
  read.finish();
  // The gas of the data on the chain below is in no limit that is signed: every transaction would be refused.
  if (profile.l1DataFee === 'in-gas')
    throw new ConfigurationError([
      `CHAIN_ID is that of ${profile.name}, which takes the cost of data from a transaction's gas: not supported`,
    ]);
  return config;
}
