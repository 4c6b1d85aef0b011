import { type ConfirmationDepth, profileOf } from '@indelible/ethereum';
import { laneKeys } from '@indelible/ethereum/custody/settings';
import {
  allOf,
  brokerSettings,
  chainId,
  consumerSettings,
  contractAddress,
  databaseSettings,
  type Environment,
  indexerUrl,
  integer,
  internalServerSettings,
  logSettings,
  madeOf,
  mapped,
  matching,
  optional,
  readSettings,
  redisSettings,
  rpcUrls,
  settingsMain,
  type ValueOf,
} from '@indelible/service-runtime';

const weiOfGwei = (gwei: number): bigint => BigInt(gwei) * 1_000_000_000n;
const byChain = 'by the chain';

/** No signed limit includes gas for data on the chain below: every transaction of such a chain would be refused. */
const servedChainId = mapped(chainId, (id, fault) => {
  const profile = profileOf(id);
  if (profile.l1DataFee === 'in-gas')
    fault(
      'CHAIN_ID',
      `is that of ${profile.name}, which takes the cost of data from a transaction's gas: not supported`,
    );
  return id;
});

/** Number of blocks, the commitment's included, that confirm a stamp; or the node's tag for such blocks. */
const confirmation = madeOf(
  {
    chainId,
    given: optional(
      matching('CONFIRMATION_DEPTH', {
        meaning: 'Blocks that the block of a stamp needs, itself included, before it is confirmed',
        unit: 'blocks',
        shape: /^(?:[1-9]\d{0,2}|1000|safe|finalized)$/,
        values: '1 to 1000, safe or finalized',
      }),
      byChain,
    ),
  },
  ({ chainId, given }): ConfirmationDepth => {
    if (given === undefined) return profileOf(chainId).confirmationDepth;
    return given === 'safe' || given === 'finalized' ? given : Number(given);
  },
);

const maxFeePerGas = madeOf(
  {
    chainId,
    gwei: optional(
      integer('MAX_FEE_PER_GAS_GWEI', {
        meaning: 'The most that is offered for gas',
        unit: 'gwei',
        min: 1,
        max: 1_000_000,
      }),
      byChain,
    ),
  },
  ({ chainId, gwei }) => weiOfGwei(gwei ?? profileOf(chainId).maxFeePerGasGwei),
);

const replaceAfterMs = madeOf(
  {
    chainId,
    given: optional(
      integer('REPLACE_AFTER_MS', {
        meaning: 'How long a transaction waits for a block before one with higher fees takes its place',
        unit: 'ms',
        min: 100,
        max: 86_400_000,
      }),
      'five block times, at least 10,000 and at most 120,000',
    ),
  },
  ({ chainId, given }) => given ?? Math.min(Math.max(profileOf(chainId).blockTimeMs * 5, 10_000), 120_000),
);

/** Settings of the lane commands. */
const laneSettings = {
  ...databaseSettings,
  rpcUrls,
  chainId: servedChainId,
  contractAddress,
  laneKeys,
};

export const settings = allOf({
  ...laneSettings,
  ...brokerSettings,
  ...consumerSettings,
  ...redisSettings,
  confirmation,
  batchLingerMs: integer('BATCH_LINGER_MS', {
    meaning:
      'How long a stamp that comes alone waits for more; under load batches follow each other in twice that time and more',
    unit: 'ms',
    default: 10,
    min: 0,
    max: 10_000,
  }),
  maxBatchItems: integer('MAX_BATCH_ITEMS', {
    meaning: 'Commitments of one transaction',
    default: 3_000,
    min: 1,
    max: 3_900,
  }),
  maxBatchesInFlight: integer('MAX_BATCHES_IN_FLIGHT', {
    meaning: 'Transactions of a lane that wait for a block',
    default: 24,
    min: 1,
    max: 64,
  }),
  maxFeePerGas,
  laneLeaseMs: integer('LANE_LEASE_MS', {
    meaning: 'After so long without a sign of its replica a lane goes to another',
    unit: 'ms',
    default: 5_000,
    min: 1_000,
    max: 300_000,
  }),
  rebroadcastMs: integer('REBROADCAST_MS', {
    meaning: 'How often a transaction that is in no block is broadcast again',
    unit: 'ms',
    default: 5_000,
    min: 100,
    max: 600_000,
  }),
  replaceAfterMs,
  laneReserveWei: mapped(
    integer('LANE_RESERVE_GWEI', {
      meaning: 'A lane with less takes nothing new',
      unit: 'gwei',
      default: 10_000_000,
      min: 0,
      max: 1e15,
    }),
    weiOfGwei,
  ),
  fundsPollMs: integer('FUNDS_POLL_MS', {
    meaning: 'How often the balances of lanes are requested',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 3_600_000,
  }),
  fundsShareHours: integer('FUNDS_SHARE_HOURS', {
    meaning:
      'Within so long an account may spend no more than lanes still have free, for the sake of others; 0: no limit',
    unit: 'hours',
    default: 12,
    min: 0,
    max: 48,
  }),
  maxWaitingStamps: integer('MAX_WAITING_STAMPS', {
    meaning: 'Stamps that may wait for a batch; over the limit: 503. Requests decided late have four times the places',
    unit: 'stamps',
    default: 200_000,
    min: 1,
    max: 100_000_000,
  }),
  indexerUrl,
  ...internalServerSettings(8101),
  ...logSettings,
});

export type Config = ValueOf<typeof settings>;

/** @throws ConfigurationError naming every fault */
export const readConfig = (environment: Environment): Config => readSettings(settings, environment);

/** @throws ConfigurationError naming every fault */
export const readLanesConfig = (environment: Environment) => readSettings(allOf(laneSettings), environment);

/** @throws ConfigurationError naming every fault */
export const readRestoreConfig = (environment: Environment) =>
  readSettings(allOf({ ...laneSettings, ...brokerSettings }), environment);

if (import.meta.main) settingsMain(settings, process.argv.slice(2));
