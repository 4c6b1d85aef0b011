import {
  broadcastTransaction,
  getTransactionCount,
  getTransactionReceipt,
  type Rpc,
  type RpcMeaningKind,
  type SignedTransaction,
} from '@indelible/ethereum';
import { failpoint } from '@indelible/failpoints';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import { loadHashes, loadUnincluded, type UnincludedTransaction } from './batch-queries.ts';
import type { SettledReceipt } from './settle-batch.ts';

/**
 * What to do about a stored transaction after a broadcast: it waits in a pool; its nonce is used (its receipt tells
 * whether by itself); it must offer more; the lane cannot pay; or it is broadcast again later, unchanged.
 */
export type Broadcasted = 'in-pool' | 'nonce-used' | 'offer-more' | 'funds-missing' | 'later';

const meaning: Readonly<Record<'accepted' | RpcMeaningKind, Broadcasted>> = {
  accepted: 'in-pool',
  'accepted-already': 'in-pool',
  'nonce-used': 'nonce-used',
  'underpriced-replacement': 'offer-more',
  'fee-too-low': 'offer-more',
  'funds-missing': 'funds-missing',
  'nonce-gap': 'later',
  reverted: 'later',
  'rate-limited': 'later',
  behind: 'later',
  'unknown-outcome': 'later',
  'node-fault': 'later',
  permanent: 'later',
};

export type Replace = (batchId: string) => Promise<SignedTransaction | 'capped' | 'settled'>;

export type Broadcaster = {
  /** Sends one transaction to every endpoint; a fault is noted and left to the next round. */
  broadcast(transaction: SignedTransaction, signal: AbortSignal): Promise<Broadcasted>;
  /**
   * Sends every stored transaction of the lane that is in no block, in the order of nonces, unchanged; those that
   * waited too long, or offer too little, are replaced. Answers whether the lane could pay.
   */
  rebroadcast(lane: Hex, replace: Replace, signal: AbortSignal): Promise<'paid' | 'funds-missing'>;
};

const mostAtOnce = 64;

export function createBroadcaster(options: {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly logger: Logger;
  /** So long a transaction waits for a block before it is replaced by one that offers more. */
  readonly replaceAfterMs: number;
  readonly onFault: (fault: string) => void;
  readonly onReplaced: () => void;
  readonly settle: (batchId: string, receipt: SettledReceipt) => Promise<void>;
  /** The nonce is gone, as of this final block: whether the batch was given up is told by how many stamps wait again. */
  readonly supersede: (batchId: string, finalBlock: number) => Promise<number | undefined>;
  /** The newest final block whose facts were read. */
  readonly finalBlock: () => Promise<number>;
}): Broadcaster {
  const { database, rpc, logger } = options;

  const broadcast: Broadcaster['broadcast'] = async (transaction, signal) => {
    if (signal.aborted) return 'later';
    const outcome = await broadcastTransaction(rpc, transaction, { signal }).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (outcome === undefined) return 'later';
    const means = meaning[outcome.kind];
    if (outcome.kind === 'accepted' || means === 'in-pool') return means;
    options.onFault(outcome.kind);
    // A block may have it already that the indexer has yet to read: nothing to warn of.
    const level = means === 'nonce-used' ? 'debug' : 'warn';
    logger[level](
      { transactionHash: transaction.hash, fault: outcome.kind, error: outcome.error },
      'a transaction could not be broadcast',
    );
    return means;
  };

  async function tend(
    transaction: UnincludedTransaction,
    replace: Replace,
    lane: Hex,
    signal: AbortSignal,
  ): Promise<Broadcasted> {
    const { batchId, hash, raw } = transaction;
    const sent = await broadcast({ hash, rawTransaction: raw }, signal);
    if (sent === 'nonce-used') {
      await settleUsed(transaction, lane, signal);
      return sent;
    }
    const isDue = sent === 'offer-more' || (sent === 'in-pool' && transaction.ageMs >= options.replaceAfterMs);
    if (!isDue || signal.aborted) return sent;
    const replacement = await replace(batchId);
    if (replacement === 'settled') return 'in-pool';
    if (replacement === 'capped') {
      logger.warn(
        { batchId, transactionHash: hash },
        'a transaction waits for the fees to fall: it offers the most allowed',
      );
      return 'later';
    }
    failpoint('stamping.replacement-stored');
    options.onReplaced();
    logger.info(
      { batchId, lane, nonce: transaction.nonce, transactionHash: replacement.hash, replaced: hash },
      'a transaction was replaced by one that offers more',
    );
    return broadcast(replacement, signal);
  }

  /** The nonce is used: by one of the batch's transactions, which its receipt tells, or by a stranger. */
  async function settleUsed({ batchId, nonce }: UnincludedTransaction, lane: Hex, signal: AbortSignal): Promise<void> {
    const finalBlock = await options.finalBlock();
    const hashes = await loadHashes(database, batchId);
    for (const hash of hashes) {
      const receipt = await getTransactionReceipt(rpc, hash, { signal });
      if (receipt !== null) return options.settle(batchId, receipt);
    }
    const place = { batchId, lane, nonce, finalBlock };
    if (finalBlock === 0 || (await getTransactionCount(rpc, lane, finalBlock, { signal })) <= nonce) {
      logger.warn(place, 'the nonce of a stored transaction is used, and no receipt of it is known yet');
      return;
    }
    const stamps = await options.supersede(batchId, finalBlock);
    if (stamps !== undefined)
      logger.error(
        { ...place, stamps },
        'a stranger used the nonce of a stored transaction: its items wait for another',
      );
  }

  return {
    broadcast,
    async rebroadcast(lane, replace, signal) {
      for (const transaction of await loadUnincluded(database, lane, mostAtOnce)) {
        if (signal.aborted) break;
        // Those behind it have later nonces, and cost more still.
        if ((await tend(transaction, replace, lane, signal)) === 'funds-missing') return 'funds-missing';
      }
      return 'paid';
    },
  };
}
