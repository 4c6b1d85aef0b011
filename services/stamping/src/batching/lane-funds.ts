import { type Fees, getBalance, likelyPriceOf, priceOf, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import { noteFunds, noteUnspendable } from './noted-funds.ts';
import { loadCommitted } from './unincluded.ts';

/** What a transaction of the lane may cost. */
export type Costs = {
  /** For the smallest that can be signed. */
  readonly leastWei: bigint;
  /** For the largest. */
  readonly mostWei: bigint;
  /** The fees both offer. */
  readonly fees: Fees;
};

export type LaneFunds = {
  /**
   * The most a new transaction may cost: the balance less what the signed transactions in no block may cost; 0 when
   * that is below the least. The balance is read again when it is old or in doubt.
   */
  free(costs: Costs, signal: AbortSignal): Promise<bigint>;
  /** The lane can sign nothing now: its funds are not shared among accounts until they are read again. */
  unspendable(): Promise<void>;
  /** A signed transaction may cost this much. */
  spend(wei: bigint): void;
  /** Records whether a node reported that the lane cannot pay. */
  judged(funds: 'paid' | 'funds-missing'): void;
  balance(signal: AbortSignal): Promise<bigint>;
};

/** How soon a lane with tied-up funds looks again. */
const tiedUpMs = 1_000;

/**
 * Watches a lane's balance. Below its reserve, or the cost of the smallest transaction if that is more, the lane takes
 * nothing new: signed transactions need the rest, mainly for replacements. The same holds once a node reports that it
 * cannot pay, until its balance grows or nodes take what it signed. A lane that cannot pay the largest batch also
 * counts as low, and signs smaller ones. A topped-up lane resumes by itself.
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
  /** The balance when a node reported that the lane cannot pay. */
  let short: bigint | undefined;
  let reported: { at: number; low: boolean; stopped: boolean } | undefined;
  /** When the lane was last recorded as unspendable; undefined once funds were. */
  let unspendableAt: number | undefined;

  const balance = (signal: AbortSignal) => getBalance(options.rpc, lane, 'latest', { signal });

  async function look(mostWei: bigint, signal: AbortSignal): Promise<{ balance: bigint; free: bigint }> {
    const age = known === undefined ? Number.POSITIVE_INFINITY : options.now() - known.at;
    if (known !== undefined && age < (known.free < mostWei ? Math.min(tiedUpMs, options.maxAgeMs) : options.maxAgeMs))
      return known;
    // Before the balance: what gets into a block in between is subtracted twice, never missed.
    const committed = await loadCommitted(options.database, lane);
    const owned = await balance(signal);
    known = { at: options.now(), balance: owned, free: owned - committed };
    return known;
  }

  /**
   * What accounts may share: the balance less the likely cost of the transactions in no block. With their highest cost,
   * a full pipeline would leave nothing for a moment, and hold back accounts that have spent little.
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
    // Another replica may have held the lane and recorded something else.
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
      // Forces a fresh read next time.
      if (funds === 'funds-missing' && known !== undefined) known.at = Number.NEGATIVE_INFINITY;
    },
    balance,
  };
}
