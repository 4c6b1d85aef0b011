import { setTimeout as delay } from 'node:timers/promises';
import { type Fees, priceOf } from '@indelible/ethereum';
import { SignerError } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { failpoint, type Logger } from '@indelible/service-runtime';
import { createBatchPace } from './batch-pace.ts';
import type { BroadcastRounds } from './broadcast-rounds.ts';
import type { Broadcaster, Replace } from './broadcaster.ts';
import { fitsAnything, largestBatchGas, leastGas } from './chain-limits.ts';
import type { FeeSource } from './fees.ts';
import type { FundsShares } from './funds-shares.ts';
import type { LaneFunds } from './lane-funds.ts';
import type { LaneGrant } from './lane-grant.ts';
import type { HeldLane, LaneLease } from './lane-lease.ts';
import type { LaneSigner } from './lane-signer.ts';
import { type LaneOutlook, lookAround, type Outlook } from './look-around.ts';
import { storeReplacement } from './replace-batch.ts';
import { type SignedBatch, type Signing, signNextBatch, type Turn, turnAfter } from './sign-batch.ts';
import type { Wakeup } from './wakeup.ts';

export type LaneSettings = {
  readonly leaseMs: number;
  readonly lingerMs: number;
  readonly maxInFlight: number;
  readonly rebroadcastMs: number;
  /** How soon a lane without funds or grant checks again. */
  readonly fundsPollMs: number;
};

export type LaneWork = {
  readonly signer: LaneSigner;
  readonly grant: LaneGrant;
  readonly settings: LaneSettings;
  readonly signing: Omit<Signing, 'limits' | 'leftOut'>;
  /** Current limits of one transaction on the chain. */
  readonly limits: () => Promise<Signing['limits']>;
  readonly fees: FeeSource;
  readonly funds: LaneFunds;
  readonly shares: FundsShares;
  readonly broadcaster: Broadcaster;
  /** `mostWei` is what its transaction costs at most. */
  readonly onSigned: (batch: SignedBatch, lane: Hex, mostWei: bigint) => void;
  /** A node accepted the transaction, this long after it was signed. */
  readonly onBroadcast: (stamps: number, seconds: number) => void;
  readonly logger: Logger;
};

const lookAnywayMs = 5_000;
const longestPauseMs = 100;
/**
 * Multiples of the batches in flight. With `manyUnsettled` times as many waiting for their receipt's block to be final,
 * a lane takes only what never reverted, so that repeated reverts stop no others; with `mostUnsettled`, nothing.
 */
const manyUnsettled = 8;
const mostUnsettled = 64;

/** Nothing unsigned is stored: no nonce is taken, and the claimed items wait as before. */
const unlessUnsigned =
  <Instead>(instead: Instead) =>
  (error: unknown): Instead => {
    if (error instanceof SignerError) return instead;
    throw error;
  };

/** The batch limits that the lane can pay for: always room for the smallest. */
const affordable = (limits: Signing['limits'], freeWei: bigint, price: bigint): Signing['limits'] =>
  freeWei >= BigInt(limits.gas) * price ? limits : { ...limits, gas: Number(freeWei / price) };

/**
 * Works a lane while its lease is held: broadcasts what is in no block, and signs batches of waiting items. Sleeps
 * while there is nothing to do.
 * @returns when the signal aborts, or the lane is drained
 */
export async function workLane(
  work: LaneWork,
  lease: LaneLease,
  { rounds, wakeup }: { readonly rounds: BroadcastRounds; readonly wakeup: Wakeup },
  signal: AbortSignal,
): Promise<void> {
  const { signer, grant, settings, signing, funds } = work;
  const { database } = signing;
  const held: HeldLane = { ...lease, sign: signer.sign };
  const replace: Replace = async (batchId, change) => {
    if (signer.pauseMs() > 0) return 'unsigned';
    const market = await work.fees.current();
    const balanceWei = await funds.balance(signal);
    const offer = { market, capPerGas: work.fees.capPerGas, balanceWei };
    return storeReplacement(database, held, { batchId, chainId: signing.chainId }, change, offer).catch(
      unlessUnsigned('unsigned'),
    );
  };
  const pace = createBatchPace(settings);
  /** In steps, since a new block shortens the remaining time. */
  const pause = (ms: number): Promise<void> =>
    delay(Math.min(ms, longestPauseMs), undefined, { signal }).catch(() => {});
  const rest = async (ms: number): Promise<void> => {
    if (!rounds.isUnderWay()) await wakeup.wait(signal, ms);
  };
  let turn: Turn = 'grants';

  while (!signal.aborted) {
    const { inFlight, unsettled, unincluded, closed, ...around } = await lookAround(database, lease.lane);
    if (closed === 'drained') return;
    if (unincluded === 0) rounds.end();
    else await rounds.continue(replace, signal);
    // Woken when there is work; also polls now and then, so that a lost wake-up never leaves a stamp waiting.
    const idle = Math.min(unincluded > 0 ? rounds.untilNextMs() : lookAnywayMs, lookAnywayMs);
    if (closed === 'draining' || isFull({ inFlight, unsettled })) {
      await rest(idle);
      continue;
    }
    if (!(await grant.holds())) {
      await funds.unspendable();
      await rest(Math.min(idle, settings.fundsPollMs));
      continue;
    }
    if (!(await signer.signs())) {
      await funds.unspendable();
      await rest(Math.min(idle, Math.max(signer.pauseMs(), 1)));
      continue;
    }
    const early = pace.nextMs(inFlight, performance.now());
    if (early > 0 && !rounds.isUnderWay()) {
      await pause(early);
      continue;
    }
    const room = await findRoom();
    if (typeof room === 'string') {
      await rest(room === 'no-funds' ? Math.min(idle, settings.fundsPollMs) : idle);
      continue;
    }
    const batch = await signNext(room, outlookOf(unsettled, around));
    if (batch === undefined) {
      await rest(idle);
      if (!rounds.isUnderWay()) await delay(settings.lingerMs, undefined, { signal }).catch(() => {});
      continue;
    }
    pace.closed(performance.now());
    failpoint('stamping.batch-stored');
    turn = turnAfter(batch.turn);
    const mostWei = BigInt(batch.gasLimit) * room.price;
    funds.spend(mostWei);
    work.onSigned(batch, lease.lane, mostWei);
    if (unincluded === 0) rounds.postpone();
    await broadcast(batch);
    await pause(pace.nextMs(inFlight + 1, performance.now()));
  }

  function isFull({ inFlight, unsettled }: Pick<LaneOutlook, 'inFlight' | 'unsettled'>): boolean {
    return inFlight >= settings.maxInFlight || unsettled >= settings.maxInFlight * mostUnsettled;
  }

  function outlookOf(unsettled: number, around: Outlook): Outlook {
    return unsettled >= settings.maxInFlight * manyUnsettled ? { ...around, grants: false, reverted: false } : around;
  }

  /** Limits of the next transaction, from the chain's limits and the lane's funds. */
  async function findRoom(): Promise<
    'no-funds' | 'no-limits' | { readonly fees: Fees; readonly price: bigint; readonly limits: Signing['limits'] }
  > {
    const [fees, limits] = await Promise.all([work.fees.current(), work.limits()]);
    const price = priceOf(fees);
    const costs = {
      leastWei: BigInt(leastGas) * price,
      mostWei: BigInt(largestBatchGas(limits, signing.maxItems)) * price,
      fees,
    };
    const freeWei = await funds.free(costs, signal);
    if (freeWei === 0n) return 'no-funds';
    if (!fitsAnything(limits)) {
      work.logger.error({ lane: lease.lane, limits }, 'No stamp fits the limits of a transaction on this chain');
      return 'no-limits';
    }
    return { fees, price, limits: affordable(limits, freeWei, price) };
  }

  async function signNext(
    { fees, limits }: { readonly fees: Fees; readonly limits: Signing['limits'] },
    outlook: Outlook,
  ): Promise<SignedBatch | undefined> {
    if (!Object.values(outlook).includes(true)) return undefined;
    const leftOut = await work.shares.over();
    return signNextBatch({ ...signing, limits, leftOut }, held, fees, outlook, turn).catch(unlessUnsigned(undefined));
  }

  async function broadcast(batch: SignedBatch): Promise<void> {
    const began = performance.now();
    const sent = await batch.trace.broadcast(batch, () => work.broadcaster.broadcast(batch.transaction, signal));
    if (sent === 'in-pool') work.onBroadcast(batch.waitedSeconds.length, (performance.now() - began) / 1_000);
    if (sent === 'funds-missing') funds.judged('funds-missing');
    failpoint('stamping.broadcast');
  }
}
