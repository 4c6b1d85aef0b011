import {
  addBatchSizes,
  type BatchLimits,
  emptyBatchSize,
  fitsLimits,
  runSize,
  transactionLimits,
} from '@indelible/commitment-contract';
import { batchGasCap, getBlockByNumber, profileOf, type Rpc } from '@indelible/ethereum';

/** What one transaction may take on this chain: its profile, the gas limit of its blocks now, and Ethereum's rules. */
export async function readChainLimits(rpc: Rpc, chainId: number, signal: AbortSignal): Promise<BatchLimits> {
  const profile = profileOf(chainId);
  const head = await getBlockByNumber(rpc, 'latest', { signal });
  const gas = head === null ? profile.maxTransactionGas : batchGasCap(profile, head.gasLimit);
  return {
    gas: Math.min(transactionLimits.gas, gas),
    transactionBytes: Math.min(transactionLimits.transactionBytes, profile.maxTransactionBytes),
  };
}

/** Whether a stamp that comes with its set fits a transaction: what needs most of all that may be alone. */
export const fitsAnything = (limits: BatchLimits): boolean =>
  fitsLimits(addBatchSizes(emptyBatchSize, runSize({ setCid: `0x${'1'.repeat(64)}`, newSet: true, count: 1 })), limits);
