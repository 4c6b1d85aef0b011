import { type Fees, getBalance, likelyPriceOf, priceOf, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import { noteFunds, noteUnspendable } from './noted-funds.ts';
import { loadCommitted } from './unincluded.ts';

/** What a lane may have to pay for a transaction. */
export type Costs = {
  /** For the smallest that can be signed. */
  readonly leastWei: bigint;
  /** For the largest. */
  readonly mostWei: bigint;
  /** What both offer for gas. */
  readonly fees: Fees;
};

export type LaneFunds = {
  /**
   * What something new may cost: what the lane owns beside everything it signed before that is in no block; nothing when
   * that is less than the least. The balance is read again when it was long ago, or in doubt.
   */
  free(costs: Costs, signal: AbortSignal): Promise<bigint>;
  /** The lane can sign nothing now, whatever it owns: it is no part of what accounts share until its funds are looked at again. */
  unspendable(): Promise<void>;
  /** Something was signed that may cost so much. */
  spend(wei: bigint): void;
  /** Whether a node reported that the lane cannot pay what it signed. */
  judged(funds: 'paid' | 'funds-missing'): void;
  balance(signal: AbortSignal): Promise<bigint>;
};

/** A lane whose funds are tied up looks so soon again. */
const tiedUpMs = 1_000;

/**
 * Watches a lane's balance. Below its reserve, or what the smallest transaction costs if that is more, the lane takes nothing
 * new: what is signed already needs the rest, for replacements above all. So does one of which a node reported that it cannot
 * pay, until its balance grows or nodes take what it signed. One that cannot pay the largest batch is low as well, and
 * signs smaller ones. A lane that was topped up goes on by itself.
 */
export function createLaneFunds(options: {
  readonly rpc: Rpc;
  readonly database: Database;
  readonly lane: Hex;
  readonly reserveWei: bigint;
  readonly maxAgeMs: number;
  readonly onBalance: (lane: Hex, wei: bigint, low: boolean) => void;
  readonly logger: Logger;
  readonly now: () => number;
}): LaneFunds {
  const { lane, reserveWei } = options;
  let known: { at: number; balance: bigint; free: bigint } | undefined;
  /** What the lane owned when a node reported that it cannot pay. */
  let short: bigint | undefined;
  let reported: { at: number; low: boolean; stopped: boolean } | undefined;
  /** When it was last noted that nothing can be spent; undefined since funds were noted. */
  let unspendableAt: number | undefined;

  const balance = (signal: AbortSignal) => getBalance(options.rpc, lane, 'latest', { signal });

  async function look(mostWei: bigint, signal: AbortSignal): Promise<{ balance: bigint; free: bigint }> {
    const age = known === undefined ? Number.POSITIVE_INFINITY : options.now() - known.at;
    if (known !== undefined && age < (known.free < mostWei ? Math.min(tiedUpMs, options.maxAgeMs) : options.maxAgeMs))
      return known;
    // Before the balance: what comes into a block between is subtracted twice, never left out.
    const committed = await loadCommitted(options.database, lane);
    const owned = await balance(signal);
    known = { at: options.now(), balance: owned, free: owned - committed };
    return known;
  }

  /**
   * What accounts may share: what the lane owns beside what its transactions in no block are likely to cost. At the most that they
   * may cost, a full pipeline would leave nothing for a moment, and shut out accounts that have spent little.
   */
  function shareable({ balance, free }: { balance: bigint; free: bigint }, fees: Fees): bigint {
    const price = priceOf(fees);
    const underWay = price === 0n ? 0n : ((balance - free) * likelyPriceOf(fees)) / price;
    return underWay < balance ? balance - underWay : 0n;
  }

  async function report(
    funds: { balance: bigint; free: bigint },
    low: boolean,
    stopped: boolean,
    need: bigint,
    fees: Fees,
  ) {
    const owned = funds.balance;
    const was = reported;
    // Another replica may have held the lane meanwhile, and noted otherwise.
    const isNews = was?.low !== low || was.stopped !== stopped;
    if (!isNews && unspendableAt === undefined && options.now() - was.at < options.maxAgeMs) return;
    options.onBalance(lane, owned, low);
    await noteFunds(options.database, lane, {
      low: stopped,
      freeWei: stopped ? 0n : shareable(funds, fees),
      gasPriceWei: likelyPriceOf(fees),
    });
    reported = { at: options.now(), low, stopped };
    unspendableAt = undefined;
    if (low && isNews)
      options.logger.error(
        { lane, balanceWei: owned.toString(), neededWei: need.toString() },
        stopped
          ? 'Lane is short of funds and takes nothing new: send funds to its address'
          : 'Lane cannot pay for the largest batch and signs smaller ones: send funds to its address',
      );
    if (!low && was?.low === true) options.logger.info({ lane }, 'Lane has funds again');
  }

  return {
    async free({ leastWei, mostWei, fees }, signal) {
      const looked = await look(mostWei, signal);
      const { balance: owned, free } = looked;
      if (short !== undefined && owned > short) short = undefined;
      const stopped = short !== undefined || owned < reserveWei || owned < leastWei;
      const need = owned < reserveWei ? reserveWei : mostWei;
      await report(looked, stopped || owned < need, stopped, need, fees);
      return stopped || free < leastWei ? 0n : free;
    },
    async unspendable() {
      if (unspendableAt !== undefined && options.now() - unspendableAt < options.maxAgeMs) return;
      await noteUnspendable(options.database, lane);
      unspendableAt = options.now();
    },
    spend(wei) {
      if (known !== undefined) known.free -= wei;
    },
    judged(funds) {
      if (funds === 'paid') short = undefined;
      else if (short === undefined && known !== undefined) short = known.balance;
      // The next answer is a fresh one.
      if (funds === 'funds-missing' && known !== undefined) known.at = Number.NEGATIVE_INFINITY;
    },
    balance,
  };
}
