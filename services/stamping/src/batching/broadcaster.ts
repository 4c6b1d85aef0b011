import {
  type BroadcastFault,
  classifyBroadcastError,
  getTransactionReceipt,
  type Rpc,
  sendRawTransaction,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import { loadUnincluded } from './batch-queries.ts';
import type { SettledReceipt } from './settle-batch.ts';

/** What a fault of broadcasting means for a stored transaction: it is broadcast again unchanged, or its receipt is asked for. */
const meaning: Readonly<Record<BroadcastFault, 'there already' | 'look for receipt' | 'later'>> = {
  'already-known': 'there already',
  'nonce-too-low': 'look for receipt',
  'nonce-too-high': 'later',
  'underpriced-replacement': 'later',
  'insufficient-funds': 'later',
  'fee-too-low': 'later',
  reverted: 'later',
  unavailable: 'later',
  unknown: 'later',
};

export type Broadcaster = {
  /** Sends one transaction; a fault is noted and left to the next rebroadcast. */
  broadcast(
    transaction: { readonly hash: Hex; readonly raw: Hex },
    signal: AbortSignal,
  ): Promise<'sent' | 'look for receipt' | 'later'>;
  /** Sends every stored transaction of the lane that is in no block, in the order of nonces, unchanged. */
  rebroadcast(lane: Hex, signal: AbortSignal): Promise<void>;
};

const mostAtOnce = 64;

export function createBroadcaster(options: {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly logger: Logger;
  readonly onFault: (fault: BroadcastFault) => void;
  readonly settle: (batchId: string, receipt: SettledReceipt) => Promise<void>;
}): Broadcaster {
  const { rpc, logger } = options;

  const broadcast: Broadcaster['broadcast'] = async (transaction, signal) => {
    try {
      await sendRawTransaction(rpc, transaction.raw, { signal });
      return 'sent';
    } catch (error) {
      if (signal.aborted) return 'later';
      const fault = classifyBroadcastError(error);
      const means = meaning[fault];
      if (means === 'there already') return 'sent';
      options.onFault(fault);
      // A block may have it already that the indexer has yet to read: nothing to warn of.
      const level = means === 'look for receipt' ? 'debug' : 'warn';
      logger[level]({ transactionHash: transaction.hash, fault, error }, 'a transaction could not be broadcast');
      return means;
    }
  };

  return {
    broadcast,
    async rebroadcast(lane, signal) {
      for (const transaction of await loadUnincluded(options.database, lane, mostAtOnce)) {
        if (signal.aborted) return;
        if ((await broadcast(transaction, signal)) !== 'look for receipt') continue;
        const receipt = await getTransactionReceipt(rpc, transaction.hash, { signal });
        if (receipt !== null) await options.settle(transaction.batchId, receipt);
        else
          logger.error(
            { transactionHash: transaction.hash, lane, nonce: transaction.nonce },
            'the nonce of a stored transaction was used by another one, or the node lags behind',
          );
      }
    },
  };
}
