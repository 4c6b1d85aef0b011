import type { TransactionReceipt } from '@indelible/ethereum';

/** What the chain says of a batch's transaction. */
export type SettledReceipt = Pick<TransactionReceipt, 'status' | 'transactionHash' | 'blockNumber' | 'blockHash'> & {
  /** Of its block, in seconds since 1970. */
  readonly blockTime: number;
  /** A reverted one is refused by the chain now as well. */
  readonly repeats: boolean;
  /** Of a batch that records a grant: the chain has it, by another transaction. */
  readonly granted: boolean;
};
