import { setTimeout as delay } from 'node:timers/promises';
import { SignerError } from '@indelible/custody';
import { getTransactionCount, priceOf, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Component, Logger } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import type { Work } from '../work-channel.ts';
import { createBatchPace } from './batch-pace.ts';
import type { Broadcaster, Replace } from './broadcaster.ts';
import { fitsAnything, largestBatchGas, leastGas } from './chain-limits.ts';
import { lookAround } from './claim-queries.ts';
import type { FeeSource } from './fees.ts';
import type { FundsShares } from './funds-shares.ts';
import type { LaneFunds } from './lane-funds.ts';
import type { LaneGrant } from './lane-grant.ts';
import { type LaneLease, LeaseLostError, releaseLease, renewLease, takeLease } from './lane-lease.ts';
import type { LaneSigner } from './lane-signer.ts';
import { storeReplacement } from './replace-batch.ts';
import { type SignedBatch, type Signing, signNextBatch, type Turn, turnAfter } from './sign-batch.ts';
import { type StoreAge, StoreBehindError } from './store-age.ts';
import { createWakeup } from './wakeup.ts';

export type LaneSettings = {
  readonly leaseMs: number;
  readonly lingerMs: number;
  readonly maxInFlight: number;
  readonly rebroadcastMs: number;
  /** How soon a lane that cannot pay, or has no grant, looks again. */
  readonly fundsPollMs: number;
};

const lookAnywayMs = 5_000;
const longestPauseMs = 100;
/** So soon a round is repeated in which nodes took some transactions and others not. */
const unfinishedRoundMs = 1_000;
/** Nothing is stored that has no signature: no nonce is taken, and what was claimed waits as before. */
const unlessUnsigned =
  <Instead>(instead: Instead) =>
  (error: unknown): Instead => {
    if (error instanceof SignerError) return instead;
    throw error;
  };
/**
 * Of so many batches that wait for the block of their receipt to become final, in times of those in flight, a lane takes only
 * what has never reverted, so that what reverts again and again stops no other; and of so many nothing at all.
 */
const manyUnsettled = 8;
const mostUnsettled = 64;

/** What a batch may take that costs no more than the lane can pay: always room for the smallest. */
const affordable = (limits: Signing['limits'], freeWei: bigint, price: bigint): Signing['limits'] =>
  freeWei >= BigInt(limits.gas) * price ? limits : { ...limits, gas: Number(freeWei / price) };

export type Lane = Component & { readonly address: Hex; wake(work: Work): void; held(): boolean };

/**
 * One signing key at work: holds its lease, makes batches of what waits, and keeps broadcasting those that are in no
 * block. It sleeps while there is nothing to do. One that is drained takes nothing new, and is left when its batches are final.
 */
export function createLane(options: {
  readonly signer: LaneSigner;
  readonly grant: LaneGrant;
  readonly age: StoreAge;
  readonly holder: string;
  readonly settings: LaneSettings;
  readonly signing: Omit<Signing, 'limits' | 'leftOut'>;
  /** What one transaction may take, of the chain as it is now. */
  readonly limits: () => Promise<Signing['limits']>;
  readonly rpc: Rpc;
  readonly fees: FeeSource;
  readonly funds: LaneFunds;
  readonly shares: FundsShares;
  readonly broadcaster: Broadcaster;
  /** `mostWei` is what its transaction costs at most. */
  readonly onSigned: (batch: SignedBatch, lane: Hex, mostWei: bigint) => void;
  /** A node has the transaction of so many stamps, so long after it was signed. */
  readonly onBroadcast: (stamps: number, seconds: number) => void;
  readonly onReleased: (lane: Hex) => void;
  readonly logger: Logger;
}): Lane {
  const { signer, grant, age, settings, signing, rpc, broadcaster, funds, logger } = options;
  const { database } = signing;
  const { address } = signer;
  const stopping = new AbortController();
  const wakeup = createWakeup();
  let held = false;
  let rebroadcastAt = 0;
  let running = Promise.resolve();

  async function takeLane(): Promise<LaneLease | undefined> {
    // Before the lease: one who is refused must not note a first nonce.
    await age.passed();
    await age.lookAt(address);
    const firstNonce = await getTransactionCount(rpc, address, 'latest');
    return takeLease(database, {
      lane: address,
      chainId: signing.chainId,
      holder: options.holder,
      leaseMs: settings.leaseMs,
      firstNonce,
    });
  }

  async function work(lease: LaneLease, signal: AbortSignal): Promise<void> {
    const held = { ...lease, sign: signer.sign };
    const replace: Replace = async (batchId, change) => {
      if (signer.pauseMs() > 0) return 'unsigned';
      const market = await options.fees.current();
      const balanceWei = await funds.balance(signal);
      const offer = { market, capPerGas: options.fees.capPerGas, balanceWei };
      return storeReplacement(database, held, { batchId, chainId: signing.chainId }, change, offer).catch(
        unlessUnsigned('unsigned'),
      );
    };
    rebroadcastAt = 0;
    /** The nonce from which the round of broadcasts under way goes on: one part of it, then something new. */
    let roundFrom: number | undefined;
    let turn: Turn = 'grants';
    const pace = createBatchPace(settings);
    /** In steps, since a block that comes shortens what is left. */
    const pause = (ms: number): Promise<void> =>
      delay(Math.min(ms, longestPauseMs), undefined, { signal }).catch(() => {});
    while (!signal.aborted) {
      const { inFlight, unsettled, unincluded, closed, ...around } = await lookAround(database, address);
      if (closed === 'drained') return;
      const outlook =
        unsettled >= settings.maxInFlight * manyUnsettled ? { ...around, grants: false, reverted: false } : around;
      if (unincluded === 0) {
        funds.judged('paid');
        roundFrom = undefined;
      }
      if (unincluded > 0 && (roundFrom !== undefined || performance.now() >= rebroadcastAt)) {
        // What is announced from now on calls for another round.
        if (roundFrom === undefined) rebroadcastAt = performance.now() + settings.rebroadcastMs;
        const part = await broadcaster.rebroadcast(address, roundFrom ?? 0, replace, signal);
        funds.judged(part.funds);
        roundFrom = part.next;
        if (part.taken > 0 && part.left > 0)
          rebroadcastAt = Math.min(rebroadcastAt, performance.now() + unfinishedRoundMs);
      }
      // Woken when there is something to do; looking anyway now and then, so that no lost wake-up lets a stamp wait for ever.
      const untilRound = unincluded > 0 ? Math.max(0, rebroadcastAt - performance.now()) : lookAnywayMs;
      const idle = Math.min(untilRound, lookAnywayMs);
      const rest = async (ms: number): Promise<void> => {
        if (roundFrom === undefined) await wakeup.wait(signal, ms);
      };
      if (
        closed === 'draining' ||
        inFlight >= settings.maxInFlight ||
        unsettled >= settings.maxInFlight * mostUnsettled
      ) {
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
      if (early > 0 && roundFrom === undefined) {
        await pause(early);
        continue;
      }
      const [fees, limits] = await Promise.all([options.fees.current(), options.limits()]);
      const price = priceOf(fees);
      const costs = {
        leastWei: BigInt(leastGas) * price,
        mostWei: BigInt(largestBatchGas(limits, signing.maxItems)) * price,
        fees,
      };
      const freeWei = await funds.free(costs, signal);
      if (freeWei === 0n) {
        await rest(Math.min(idle, settings.fundsPollMs));
        continue;
      }
      if (!fitsAnything(limits)) {
        logger.error({ lane: lease.lane, limits }, 'no stamp fits the limits of a transaction on this chain');
        await rest(idle);
        continue;
      }
      const batch: SignedBatch | undefined = Object.values(outlook).includes(true)
        ? await signNextBatch(
            { ...signing, limits: affordable(limits, freeWei, price), leftOut: await options.shares.over() },
            held,
            fees,
            outlook,
            turn,
          ).catch(unlessUnsigned(undefined))
        : undefined;
      if (batch === undefined) {
        await rest(idle);
        if (roundFrom === undefined) await delay(settings.lingerMs, undefined, { signal }).catch(() => {});
        continue;
      }
      pace.closed(performance.now());
      failpoint('stamping.batch-stored');
      turn = turnAfter(batch.turn);
      const mostWei = BigInt(batch.gasLimit) * price;
      funds.spend(mostWei);
      options.onSigned(batch, address, mostWei);
      if (unincluded === 0) rebroadcastAt = performance.now() + settings.rebroadcastMs;
      const began = performance.now();
      const sent = await batch.trace.broadcast(batch, () => broadcaster.broadcast(batch.transaction, signal));
      if (sent === 'in-pool') options.onBroadcast(batch.waitedSeconds.length, (performance.now() - began) / 1_000);
      if (sent === 'funds-missing') funds.judged('funds-missing');
      failpoint('stamping.broadcast');
      await pause(pace.nextMs(inFlight + 1, performance.now()));
    }
  }

  async function holdOnce(): Promise<void> {
    const lease = await takeLane();
    if (lease === undefined) return;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      renewLease(database, lease, settings.leaseMs).then(
        (renewed) => renewed || lost.abort(),
        (error: unknown) => logger.warn({ lane: lease.lane, err: error }, 'the lease of a lane could not be renewed'),
      );
    }, settings.leaseMs / 3);
    held = true;
    logger.info({ lane: lease.lane, fence: lease.token }, 'holding a lane');
    try {
      await work(lease, AbortSignal.any([stopping.signal, lost.signal]));
    } finally {
      held = false;
      options.onReleased(address);
      clearInterval(renewing);
      await releaseLease(database, lease).catch(() => {});
    }
  }

  return {
    name: `lane ${address}`,
    address,
    async start() {
      running = (async () => {
        while (!stopping.signal.aborted) {
          try {
            await holdOnce();
          } catch (error) {
            if (stopping.signal.aborted) return;
            // The guard has said so.
            if (!(error instanceof StoreBehindError)) {
              const level = error instanceof LeaseLostError ? 'info' : 'warn';
              logger[level]({ lane: address, error }, 'a lane paused; going on shortly');
            }
          }
          await delay(settings.leaseMs / 5, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    ready: () => !age.isBehind() && !grant.missing() && !signer.failing(),
    wake(work) {
      if (work === 'rebroadcast') rebroadcastAt = 0;
      wakeup.wake();
    },
    held: () => held,
  };
}
