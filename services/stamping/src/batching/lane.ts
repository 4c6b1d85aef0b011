import { setTimeout as delay } from 'node:timers/promises';
import { decodeLaneOperator, encodeLaneOperator } from '@indelible/commitment-contract';
import { ethCall, getTransactionCount, priceOf, type Rpc } from '@indelible/ethereum';
import { failpoint } from '@indelible/failpoints';
import type { Hex } from '@indelible/identifiers';
import type { Component, Logger } from '@indelible/service-runtime';
import type { Work } from '../work-channel.ts';
import type { Broadcaster, Replace } from './broadcaster.ts';
import { fitsAnything, largestBatchGas, leastGas } from './chain-limits.ts';
import { lookAround } from './claim-queries.ts';
import type { FeeSource } from './fees.ts';
import type { LaneFunds } from './lane-funds.ts';
import { type LaneLease, LeaseLostError, releaseLease, renewLease, takeLease } from './lane-lease.ts';
import { storeReplacement } from './replace-batch.ts';
import { type SignedBatch, type Signing, signNextBatch, type Turn, turnAfter } from './sign-batch.ts';
import { createWakeup } from './wakeup.ts';

export type LaneSettings = {
  readonly leaseMs: number;
  readonly lingerMs: number;
  readonly maxInFlight: number;
  readonly rebroadcastMs: number;
  /** How soon a lane that cannot pay looks again whether it can. */
  readonly fundsPollMs: number;
};

const lookAnywayMs = 5_000;
/** So soon a round is repeated in which nodes took some transactions and others not. */
const unfinishedRoundMs = 1_000;
/**
 * Of so many batches that wait for the block of their receipt to become final, in times of those in flight, a lane takes only
 * what has never reverted, so that what reverts again and again stops no other; and of so many nothing at all.
 */
const manyUnsettled = 8;
const mostUnsettled = 64;

/** What a batch may take that costs no more than the lane can pay: always room for the smallest. */
const affordable = (limits: Signing['limits'], freeWei: bigint, price: bigint): Signing['limits'] =>
  freeWei >= BigInt(limits.gas) * price ? limits : { ...limits, gas: Number(freeWei / price) };

/**
 * One signing key at work: holds its lease, makes batches of what waits, and keeps broadcasting those that are in no
 * block. It sleeps while there is nothing to do.
 */
export function createLane(options: {
  readonly key: { readonly address: Hex; readonly privateKey: Uint8Array };
  readonly holder: string;
  readonly settings: LaneSettings;
  readonly signing: Omit<Signing, 'limits'>;
  /** What one transaction may take, of the chain as it is now. */
  readonly limits: () => Promise<Signing['limits']>;
  readonly rpc: Rpc;
  readonly fees: FeeSource;
  readonly funds: LaneFunds;
  readonly broadcaster: Broadcaster;
  readonly onSigned: (batch: SignedBatch, lane: Hex) => void;
  readonly logger: Logger;
}): Component & { wake(work: Work): void; held(): boolean } {
  const { key, settings, signing, rpc, broadcaster, funds, logger } = options;
  const { database } = signing;
  const stopping = new AbortController();
  const wakeup = createWakeup();
  let held = false;
  let rebroadcastAt = 0;
  let running = Promise.resolve();

  /** A lane the operator has not added could only make transactions that revert. */
  async function takeLane(): Promise<LaneLease | undefined> {
    const data = encodeLaneOperator({ lane: key.address });
    const operator = decodeLaneOperator(await ethCall(rpc, { to: signing.contract, data }, 'latest'));
    if (operator !== signing.operator) {
      logger.error(
        { lane: key.address, operator: signing.operator },
        'the operator has not added this lane to the contract',
      );
      return undefined;
    }
    const firstNonce = await getTransactionCount(rpc, key.address, 'latest');
    return takeLease(database, {
      lane: key.address,
      chainId: signing.chainId,
      holder: options.holder,
      leaseMs: settings.leaseMs,
      firstNonce,
    });
  }

  async function work(lease: LaneLease, signal: AbortSignal): Promise<void> {
    const held = { ...lease, privateKey: key.privateKey };
    const replace: Replace = async (batchId, change) => {
      const market = await options.fees.current();
      const balanceWei = await funds.balance(signal);
      const offer = { market, capPerGas: options.fees.capPerGas, balanceWei };
      return storeReplacement(database, held, { batchId, chainId: signing.chainId }, change, offer);
    };
    rebroadcastAt = 0;
    /** The nonce from which the round of broadcasts under way goes on: one part of it, then something new. */
    let roundFrom: number | undefined;
    let turn: Turn = 'grants';
    while (!signal.aborted) {
      const { inFlight, unsettled, unincluded, ...around } = await lookAround(database, key.address);
      const outlook =
        unsettled >= settings.maxInFlight * manyUnsettled ? { ...around, grants: false, reverted: false } : around;
      if (unincluded === 0) {
        funds.judged('paid');
        roundFrom = undefined;
      }
      if (unincluded > 0 && (roundFrom !== undefined || performance.now() >= rebroadcastAt)) {
        // What is announced from now on calls for another round.
        if (roundFrom === undefined) rebroadcastAt = performance.now() + settings.rebroadcastMs;
        const part = await broadcaster.rebroadcast(key.address, roundFrom ?? 0, replace, signal);
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
      if (inFlight >= settings.maxInFlight || unsettled >= settings.maxInFlight * mostUnsettled) {
        await rest(idle);
        continue;
      }
      const [fees, limits] = await Promise.all([options.fees.current(), options.limits()]);
      const price = priceOf(fees);
      const costs = {
        leastWei: BigInt(leastGas) * price,
        mostWei: BigInt(largestBatchGas(limits, signing.maxItems)) * price,
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
        ? await signNextBatch({ ...signing, limits: affordable(limits, freeWei, price) }, held, fees, outlook, turn)
        : undefined;
      const linger = settings.lingerMs * (1 + inFlight / 4);
      if (batch === undefined) {
        await rest(idle);
        // The more batches wait for a block, the longer one is filled: transactions of a block stay few.
        if (roundFrom === undefined) await delay(linger, undefined, { signal }).catch(() => {});
        continue;
      }
      failpoint('stamping.batch-stored');
      turn = turnAfter(batch.turn);
      funds.spend(BigInt(batch.gasLimit) * price);
      options.onSigned(batch, key.address);
      if (unincluded === 0) rebroadcastAt = performance.now() + settings.rebroadcastMs;
      if ((await broadcaster.broadcast(batch.transaction, signal)) === 'funds-missing') funds.judged('funds-missing');
      failpoint('stamping.broadcast');
      await delay(linger, undefined, { signal }).catch(() => {});
    }
  }

  async function holdOnce(): Promise<void> {
    const lease = await takeLane();
    if (lease === undefined) return;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      renewLease(database, lease, settings.leaseMs).then(
        (renewed) => renewed || lost.abort(),
        (error: unknown) => logger.warn({ lane: lease.lane, error }, 'the lease of a lane could not be renewed'),
      );
    }, settings.leaseMs / 3);
    held = true;
    logger.info({ lane: lease.lane, fence: lease.token }, 'holding a lane');
    try {
      await work(lease, AbortSignal.any([stopping.signal, lost.signal]));
    } finally {
      held = false;
      clearInterval(renewing);
      await releaseLease(database, lease).catch(() => {});
    }
  }

  return {
    name: `lane ${key.address}`,
    async start() {
      running = (async () => {
        while (!stopping.signal.aborted) {
          try {
            await holdOnce();
          } catch (error) {
            if (stopping.signal.aborted) return;
            const level = error instanceof LeaseLostError ? 'info' : 'warn';
            logger[level]({ lane: key.address, error }, 'a lane paused; going on shortly');
          }
          await delay(settings.leaseMs / 5, undefined, { signal: stopping.signal }).catch(() => {});
        }
      })();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    wake(work) {
      if (work === 'rebroadcast') rebroadcastAt = 0;
      wakeup.wake();
    },
    held: () => held,
  };
}
