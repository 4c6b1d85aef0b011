/** When a block counts as confirmed: a number counts blocks from its own (1: it is the head); the tags are the node's. */
export type ConfirmationDepth = number | 'safe' | 'finalized';

/** What is known of a chain in advance. Prices and gas limits of blocks are read from the chain. */
export type ChainProfile = {
  readonly chainId: number;
  readonly name: string;
  /** Typical; blocks may come faster, or none at all without transactions. */
  readonly blockTimeMs: number;
  /** What a stamp waits for unless configured otherwise: deep enough that a reorg is a rare event. */
  readonly confirmationDepth: ConfirmationDepth;
  /** When a block can no longer vanish: at the node's tag `finalized`, or at a depth in blocks. */
  readonly finality: { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly depth: number };
  /** Fees by EIP-1559; otherwise gas price and type 0 transactions. */
  readonly eip1559: boolean;
  /** How much of a block's gas limit one batch may take: a fuller one waits longer for room. */
  readonly batchShareOfBlockGas: number;
  /** The most gas of one transaction. */
  readonly maxTransactionGas: number;
  /** The most bytes of one signed transaction that pools take. */
  readonly maxTransactionBytes: number;
  /**
   * How the data on the chain below is paid: `apart`: from the balance, beside the gas; `in-gas`: as gas, which the gas
   * limit must cover.
   */
  readonly l1DataFee: 'none' | 'apart' | 'in-gas';
  /** Default maximum offered for gas, in gwei: far above the usual, but affordable. */
  readonly maxFeePerGasGwei: number;
  /** The maximum tip, in gwei; the base fee if that is higher. */
  readonly maxTipGwei: number;
  /** How far a node may be behind another before it counts as lagging: some seconds of blocks. */
  readonly maxLagBlocks: number;
};

/** EIP-7825. Applied even where a chain allows more. */
const maxTransactionGas = 16_777_216;
/** Four slots of 32 KiB in geth's pool, and those that follow it. */
const maxTransactionBytes = 131_072;

const usual: Omit<ChainProfile, 'chainId' | 'name' | 'blockTimeMs'> = {
  confirmationDepth: 2,
  finality: { kind: 'tag' },
  eip1559: true,
  batchShareOfBlockGas: 0.25,
  maxTransactionGas,
  maxTransactionBytes,
  l1DataFee: 'none',
  maxFeePerGasGwei: 500,
  maxTipGwei: 5,
  maxLagBlocks: 3,
};
/** One sequencer orders the blocks: a published one disappears only with the chain below, or by a fault of the sequencer. */
const opStack = {
  ...usual,
  blockTimeMs: 2_000,
  confirmationDepth: 1,
  l1DataFee: 'apart',
  maxFeePerGasGwei: 50,
  maxTipGwei: 1,
  maxLagBlocks: 5,
} as const;

const profiles: readonly ChainProfile[] = [
  { ...usual, chainId: 1, name: 'Ethereum', blockTimeMs: 12_000 },
  // Its ether has no value, and its fees spike.
  { ...usual, chainId: 11_155_111, name: 'Sepolia', blockTimeMs: 12_000, maxFeePerGasGwei: 5_000, maxTipGwei: 50 },
  { ...opStack, chainId: 10, name: 'Optimism' },
  { ...opStack, chainId: 8_453, name: 'Base' },
  {
    ...usual,
    chainId: 42_161,
    name: 'Arbitrum One',
    blockTimeMs: 250,
    confirmationDepth: 1,
    // The gas limit of its blocks is meaningless: the maximum gas of a transaction bounds a batch.
    batchShareOfBlockGas: 1,
    // nitro: the sequencer's max-tx-data-size
    maxTransactionBytes: 95_000,
    l1DataFee: 'in-gas',
    maxFeePerGasGwei: 50,
    maxTipGwei: 1,
    maxLagBlocks: 40,
  },
  // Milestones make blocks final within seconds. It takes no tip below 25 gwei.
  {
    ...usual,
    chainId: 137,
    name: 'Polygon',
    blockTimeMs: 2_000,
    maxFeePerGasGwei: 5_000,
    maxTipGwei: 200,
    maxLagBlocks: 5,
  },
  // A block is published when consensus has accepted it, and is final.
  { ...usual, chainId: 43_114, name: 'Avalanche C', blockTimeMs: 2_000, confirmationDepth: 1, maxLagBlocks: 5 },
  // Its blocks are small: a quarter would hold few stamps.
  { ...usual, chainId: 100, name: 'Gnosis', blockTimeMs: 5_000, batchShareOfBlockGas: 0.5 },
  {
    ...usual,
    chainId: 31_337,
    name: 'local',
    blockTimeMs: 1_000,
    confirmationDepth: 1,
    batchShareOfBlockGas: 0.5,
    maxFeePerGasGwei: 5_000,
    maxLagBlocks: 5,
  },
];

const known: ReadonlyMap<number, ChainProfile> = new Map(profiles.map((profile) => [profile.chainId, profile]));

/** The profile of a chain; for an unknown one, cautious defaults: deep confirmations, no trust in tags. */
export const profileOf = (chainId: number): ChainProfile =>
  known.get(chainId) ?? {
    ...usual,
    chainId,
    name: `chain ${chainId}`,
    blockTimeMs: 12_000,
    confirmationDepth: 5,
    finality: { kind: 'depth', depth: 64 },
    maxFeePerGasGwei: 5_000,
    maxTipGwei: 200,
  };

/** The most gas a batch may use in blocks of this gas limit. */
export const batchGasCap = (profile: ChainProfile, blockGasLimit: bigint): number =>
  Math.min(profile.maxTransactionGas, Math.floor(Number(blockGasLimit) * profile.batchShareOfBlockGas));
