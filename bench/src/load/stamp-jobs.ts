import type { Hex } from '@indelible/identifiers';
import type { Quantiles } from '../measuring/quantiles.ts';

/** Where stamps are looked up afterwards, and whose they are. */
export type StampedChain = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contract: Hex;
  readonly user: Hex;
};

type StampLoad = {
  readonly rootUrl: string;
  readonly apiKey: string;
  readonly chain: StampedChain;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Into which the stamps go, each into one by its CID; they are on the chain already. None when left out. */
  readonly collections?: readonly Collection[];
};

export type Collection = { readonly name: string; readonly setCid: Hex };

/** Callers of whom each stamps a fresh CID, and the next one when it has been answered. */
export type ClosedLoopJob = StampLoad & { readonly kind: 'closed loop'; readonly callers: number };
/** Stamps at set times, however long the answers take. */
export type OpenLoopJob = StampLoad & { readonly kind: 'open loop'; readonly perSecond: number };
/** Connections that each stream batch after batch of fresh CIDs, reading their results meanwhile. */
export type StampBatchesJob = StampLoad & {
  readonly kind: 'stamp batches';
  readonly connections: number;
  readonly linesPerBatch: number;
  /** Lines without a result, over all connections, beyond which none is sent. */
  readonly linesUnderWay: number;
};
/** Batches through ethers, several under way, with a key that has funds and writes for itself. */
export type EthersBatchesJob = {
  readonly kind: 'ethers batches';
  readonly chain: StampedChain;
  readonly privateKey: Hex;
  readonly stampsPerBatch: number;
  readonly batchesUnderWay: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
};
/** A transaction a stamp through ethers, with a key that has funds. */
export type EthersJob = {
  readonly kind: 'ethers stamps';
  readonly chain: StampedChain;
  readonly privateKey: Hex;
  readonly sendsUnderWay: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
};

/** What the chain says of stamps, each of which stands on it exactly once, as its receipt says. */
export type StampedGas = {
  readonly gasPerStamp: number;
  readonly fullestBlock: { readonly gasUsed: number; readonly gasLimit: number };
};

/** Of the measured seconds; times in milliseconds. */
export type ClosedLoopOutcome = {
  readonly stamps: number;
  readonly stampsPerSecond: number;
  readonly latencyMs: Quantiles;
  readonly gas: StampedGas;
};
export type OpenLoopOutcome = {
  readonly stamps: number;
  /** From the set time of sending. */
  readonly latencyMs: Quantiles;
  /** The longest of them. */
  readonly longestMs: number;
  /** How many were answered in each second of the clock that had an answer, by its Unix time. */
  readonly answeredIn: Readonly<Record<number, number>>;
  /** From the arrival of the head of the block that holds it, as the same process hears of it. */
  readonly afterHeadMs: Quantiles;
  /** From the set time of sending to when the node tells of its transaction. */
  readonly beforeSubmissionMs: Quantiles;
  readonly gas: StampedGas;
};
export type EthersOutcome = {
  readonly stamps: number;
  readonly stampsPerSecond: number;
  readonly latencyMs: Quantiles;
  readonly gas: StampedGas;
};
