import type { TransactionReceipt } from '@indelible/ethereum';

/** The chain's result of a batch's transaction. */
export type SettledReceipt = Pick<TransactionReceipt, 'status' | 'transactionHash' | 'blockNumber' | 'blockHash'> & {
  /** Block time, in seconds since 1970. */
  readonly blockTime: number;
  /** The chain still refuses the reverted call. */
  readonly repeats: boolean;
  /** For a grant: the chain has it, by another transaction. */
  readonly granted: boolean;
};
