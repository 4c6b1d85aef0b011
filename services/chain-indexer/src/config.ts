import { profileOf } from '@indelible/ethereum';
import {
  allOf,
  brokerSettings,
  chainId,
  choice,
  contractAddress,
  databaseSettings,
  type Environment,
  integer,
  internalServerSettings,
  listMatching,
  logSettings,
  madeOf,
  mapped,
  optional,
  readSettings,
  rpcTimeoutMs,
  rpcUrls,
  settingsMain,
  startBlock,
  type ValueOf,
} from '@indelible/service-runtime';

type Finality = { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly depth: number };

/** Defaults to the chain's known finality; `tag` is the node's `finalized` block. */
const finality = madeOf(
  {
    chainId,
    kind: optional(
      choice('FINALITY', { meaning: 'Which blocks are final: by the node, or by depth', choices: ['tag', 'depth'] }),
      'by the chain',
    ),
    depth: optional(
      integer('FINALITY_DEPTH', {
        meaning: 'At which depth a block is final, with FINALITY=depth',
        unit: 'blocks',
        min: 1,
        max: 100_000,
      }),
      'by the chain, or 64',
    ),
  },
  ({ chainId, kind, depth }): Finality => {
    const usual = profileOf(chainId).finality;
    if ((kind ?? usual.kind) === 'tag') return { kind: 'tag' };
    return { kind: 'depth', depth: depth ?? (usual.kind === 'depth' ? usual.depth : 64) };
  },
);

/** Whether the node's `safe` block is announced as well (BlocksSafe). */
const safe = madeOf(
  {
    chainId,
    safe: optional(
      choice('SAFE_BLOCKS', { meaning: "Whether the node's safe block is announced", choices: ['off', 'tag'] }),
      'by the chain',
    ),
  },
  ({ chainId, safe }) => (safe ?? (profileOf(chainId).confirmationDepth === 'safe' ? 'tag' : 'off')) === 'tag',
);

const webSocketUrls = /^\s*(?:none|wss?:\/\/[^\s,]+(\s*,\s*wss?:\/\/[^\s,]+)*)\s*$/;

export const settings = allOf({
  ...databaseSettings,
  ...brokerSettings,
  chainId,
  rpcUrls,
  /** Undefined: the RPC URLs with that scheme; none: polling only. */
  wsUrls: optional(
    mapped(
      listMatching('RPC_WS_URL', {
        meaning: "Endpoints for subscriptions to the chain's head; none polls only",
        shape: webSocketUrls,
        values: 'URLs of ws or wss, or none',
        secrecy: 'path',
      }),
      (urls) => (urls[0] === 'none' ? [] : urls),
    ),
    'those of RPC_URL',
  ),
  rpcTimeoutMs,
  rpcMaxResponseBytes: integer('RPC_MAX_RESPONSE_BYTES', {
    meaning: 'The longest answer of a node that is taken; a block that needs more is read in parts',
    unit: 'bytes',
    default: 2 ** 25,
    min: 2 ** 16,
    max: 2 ** 29,
  }),
  contractAddress,
  startBlock,
  pollIntervalMs: integer('POLL_INTERVAL_MS', {
    meaning: 'How often the head is requested while there is no subscription',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 60_000,
  }),
  headSilenceMs: integer('HEAD_SILENCE_MS', {
    meaning: 'How long a subscription may be silent before the head is requested',
    unit: 'ms',
    default: 5_000,
    min: 10,
    max: 600_000,
  }),
  catchUpWindow: integer('CATCH_UP_WINDOW', {
    meaning: 'How many blocks are read at once while behind',
    unit: 'blocks',
    default: 50,
    min: 1,
    max: 500,
  }),
  maxUnpublished: integer('MAX_UNPUBLISHED', {
    meaning: 'Messages that may wait to be published before nothing more is read',
    unit: 'messages',
    default: 5_000,
    min: 1,
    max: 100_000,
  }),
  behindGraceMs: integer('BEHIND_GRACE_MS', {
    meaning: 'How long a node may be behind what was read before it counts as a fault',
    unit: 'ms',
    default: 30_000,
    min: 0,
    max: 3_600_000,
  }),
  finality,
  finalityStride: integer('FINALITY_STRIDE', {
    meaning: 'Every how many blocks finality is announced',
    unit: 'blocks',
    default: 32,
    min: 1,
    max: 10_000,
  }),
  safe,
  belowFinality: choice('REORG_BELOW_FINALITY', {
    meaning: 'What is done when the node wants final blocks reverted; halt leaves it to an operator',
    choices: ['follow', 'halt'],
    default: 'follow',
  }),
  readyLagBlocks: integer('READY_LAG_BLOCKS', {
    meaning: 'Blocks behind the head at which a leader is not ready',
    unit: 'blocks',
    default: 10,
    min: 0,
    max: 100_000,
  }),
  ...internalServerSettings(8102),
  ...logSettings,
});

export type Config = ValueOf<typeof settings>;

/** @throws ConfigurationError that names every fault */
export const readConfig = (environment: Environment): Config => readSettings(settings, environment);

if (import.meta.main) settingsMain(settings, process.argv.slice(2));
