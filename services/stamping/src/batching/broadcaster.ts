import {
  type BlockPlace,
  broadcastTransaction,
  getNonceAtHead,
  type Rpc,
  type RpcMeaningKind,
  type SignedTransaction,
} from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import { LeaseLostError } from './lane-lease.ts';
import { createRefitting } from './refit.ts';
import type { Change, Replaced } from './replace-batch.ts';
import type { SettleUsed } from './settle-used.ts';
import { loadUnincluded, type UnincludedTransaction } from './unincluded.ts';
import { createWaitingTimes } from './waiting-times.ts';

/**
 * What a broadcast found of a stored transaction: it waits in a pool; its nonce is used (the receipt shows whether by
 * itself); its fees are too low, or too high; the lane cannot pay; no node takes it as it is; or it is broadcast again
 * later, unchanged.
 */
export type Broadcasted =
  | 'in-pool'
  | 'nonce-used'
  | 'offer-more'
  | 'offer-less'
  | 'funds-missing'
  | 'refused'
  | 'later';

const meaning: Readonly<Record<'accepted' | RpcMeaningKind, Broadcasted>> = {
  accepted: 'in-pool',
  'accepted-already': 'in-pool',
  'nonce-used': 'nonce-used',
  'underpriced-replacement': 'offer-more',
  'fee-too-low': 'offer-more',
  'fee-too-high': 'offer-less',
  'funds-missing': 'funds-missing',
  permanent: 'refused',
  'nonce-gap': 'later',
  reverted: 'later',
  'rate-limited': 'later',
  behind: 'later',
  'unknown-outcome': 'later',
  'node-fault': 'later',
};

export type Replace = (batchId: string, change: Change) => Promise<Replaced>;

/** The outcome of a part of a round. */
export type RoundPart = {
  readonly funds: 'paid' | 'funds-missing';
  /** Of those in no block: how many a node has, and how many no node took. */
  readonly taken: number;
  readonly left: number;
  /** The nonce at which the round continues; undefined at its end. */
  readonly next: number | undefined;
};

export type Broadcaster = {
  /** Sends a transaction to every endpoint; a failed one is logged, and retried later. */
  broadcast(transaction: SignedTransaction, signal: AbortSignal): Promise<Broadcasted>;
  /**
   * Sends the lane's stored transactions that are in no block again, unchanged, in nonce order. Replaces those that
   * waited too long or that no node takes. An error of one transaction does not stop the others.
   */
  rebroadcast(lane: Hex, fromNonce: number, replace: Replace, signal: AbortSignal): Promise<RoundPart>;
};

const mostAtOnce = 64;

export function createBroadcaster(options: {
  readonly database: Database;
  readonly rpc: Rpc;
  readonly logger: Logger;
  /** How long a transaction waits for a block before it is replaced with higher fees. */
  readonly replaceAfterMs: number;
  readonly now: () => number;
  /** The highest gas limit a transaction may have. */
  readonly maxGas: (signal: AbortSignal) => Promise<number>;
  readonly onFault: (fault: string) => void;
  readonly onReplaced: () => void;
  readonly settleUsed: SettleUsed;
}): Broadcaster {
  const { database, rpc, logger } = options;
  const waiting = createWaitingTimes(options.now);
  const refitting = createRefitting({ rpc, maxGas: options.maxGas });

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
    // It may be in a block that the indexer has not read yet: no warning.
    const level = means === 'nonce-used' ? 'debug' : means === 'refused' ? 'error' : 'warn';
    logger[level](
      { transactionHash: transaction.hash, fault: outcome.kind, error: outcome.error },
      'Transaction could not be broadcast',
    );
    return means;
  };

  async function tend(
    transaction: UnincludedTransaction,
    replace: Replace,
    place: { readonly lane: Hex; readonly nonce: number; readonly head: BlockPlace | undefined },
    signal: AbortSignal,
  ): Promise<Broadcasted> {
    const { hash, raw, nonce } = transaction;
    const { lane, head } = place;
    const waitedMs = waiting.of(lane, transaction.spell);
    if (head !== undefined && nonce < place.nonce) {
      await options.settleUsed(transaction, { lane, head }, signal);
      return 'nonce-used';
    }
    const mayNot = raw === '0x' || (transaction.isVoid && !transaction.isEmpty);
    const sent = mayNot ? 'refused' : await broadcast({ hash, rawTransaction: raw }, signal);
    if (signal.aborted) return sent;
    const isOverdue = waitedMs >= options.replaceAfterMs;
    const change = mayNot
      ? ({ how: 'empty' } as const)
      : sent === 'refused'
        ? await refitting.changeOf(transaction, { lane, isOverdue }, signal)
        : changeAfter(sent, isOverdue);
    return change === undefined ? sent : replaceWith(transaction, change, replace, lane, signal, sent);
  }

  async function replaceWith(
    { batchId, hash, nonce }: UnincludedTransaction,
    change: Change,
    replace: Replace,
    lane: Hex,
    signal: AbortSignal,
    sent: Broadcasted,
  ): Promise<Broadcasted> {
    const replacement = await replace(batchId, change);
    const place = { batchId, lane, nonce, replaced: hash, how: change.how };
    if (replacement === 'obsolete') return 'in-pool';
    if (replacement === 'unsigned') return sent === 'in-pool' ? sent : 'later';
    if (replacement === 'capped' || replacement === 'unaffordable') {
      logger.warn(
        place,
        replacement === 'capped'
          ? 'Fee cap reached; waiting for lower fees'
          : 'Lane cannot pay a replacement; waiting for lower fees',
      );
      return sent === 'in-pool' ? sent : replacement === 'unaffordable' && sent === 'funds-missing' ? sent : 'later';
    }
    failpoint('stamping.replacement-stored');
    options.onReplaced();
    const level = change.how === 'empty' ? 'error' : 'info';
    logger[level](
      { ...place, transactionHash: replacement.hash },
      change.how === 'empty'
        ? 'Transaction without items takes the nonce of one that no node takes; its items wait for another batch'
        : 'Transaction replaced',
    );
    return broadcast(replacement, signal);
  }

  return {
    broadcast,
    async rebroadcast(lane, fromNonce, replace, signal) {
      const transactions = await loadUnincluded(database, lane, fromNonce, mostAtOnce);
      const known = await getNonceAtHead(rpc, lane, { signal }).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ lane, err: error }, 'Next nonce of a lane could not be read');
        return undefined;
      });
      const place = { lane, nonce: known?.nonce ?? 0, head: known?.head };
      const last =
        transactions.length < mostAtOnce ? undefined : (transactions.at(-1) as UnincludedTransaction).nonce + 1;
      let taken = 0;
      let left = 0;
      for (const transaction of transactions) {
        if (signal.aborted) break;
        const sent = await tend(transaction, replace, place, signal).catch((error: unknown): Broadcasted => {
          if (signal.aborted || error instanceof LeaseLostError) throw error;
          const { batchId, nonce } = transaction;
          logger.warn(
            { batchId, lane, nonce, err: error },
            'Stored transaction could not be broadcast; continuing with the next',
          );
          return 'later';
        });
        // Those behind it have higher nonces, and cost even more.
        if (sent === 'funds-missing') {
          waiting.endRound(lane);
          return { funds: 'funds-missing', taken, left: left + 1, next: undefined };
        }
        if (sent === 'in-pool') taken++;
        else if (sent !== 'nonce-used') left++;
      }
      if (last === undefined) waiting.endRound(lane);
      return { funds: 'paid', taken, left, next: last };
    },
  };
}

function changeAfter(sent: Broadcasted, isOverdue: boolean): Change | undefined {
  if (sent === 'offer-more' || (sent === 'in-pool' && isOverdue)) return { how: 'raise' };
  if (sent === 'offer-less') return { how: 'lower' };
  if (sent === 'funds-missing') return { how: 'afford' };
  return undefined;
}
