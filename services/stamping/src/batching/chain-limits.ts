import {
  addBatchSizes,
  type BatchLimits,
  emptyBatchSize,
  fitsLimits,
  runSize,
  transactionLimits,
} from '@indelible/commitment-contract';
import { batchGasCap, getBlockByNumber, profileOf, type Rpc } from '@indelible/ethereum';

/** Gas limit of a grantBySignature transaction; it needs about 80,000. */
export const grantGasLimit = 150_000;

/** Limits of one transaction on this chain: its profile, the current block gas limit, and Ethereum's rules. */
export async function readChainLimits(rpc: Rpc, chainId: number, signal: AbortSignal): Promise<BatchLimits> {
  const profile = profileOf(chainId);
  const head = await getBlockByNumber(rpc, 'latest', { signal });
  const gas = head === null ? profile.maxTransactionGas : batchGasCap(profile, head.gasLimit);
  return {
    gas: Math.min(transactionLimits.gas, gas),
    transactionBytes: Math.min(transactionLimits.transactionBytes, profile.maxTransactionBytes),
  };
}

/** The single item that needs most: a stamp together with its set. */
const loneStamp = addBatchSizes(emptyBatchSize, runSize({ setCid: `0x${'1'.repeat(64)}`, newSet: true, count: 1 }));

export const fitsAnything = (limits: BatchLimits): boolean => fitsLimits(loneStamp, limits);

/** Gas limit of the smallest transaction, whatever it carries. */
export const leastGas = Math.max(loneStamp.gas, grantGasLimit);

/** Highest gas limit of a batch with this many items, or of a grant. */
export const largestBatchGas = (limits: BatchLimits, maxItems: number): number =>
  Math.min(limits.gas, Math.max(loneStamp.gas * maxItems, grantGasLimit));
