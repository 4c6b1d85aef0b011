import { setTimeout as delay } from 'node:timers/promises';
import { getTransactionCount, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Component } from '@indelible/service-runtime';
import type { Work } from '../work-channel.ts';
import { createBroadcastRounds } from './broadcast-rounds.ts';
import { type LaneLease, LeaseLostError, releaseLease, renewLease, takeLease } from './lane-lease.ts';
import { type StoreAge, StoreBehindError } from './store-age.ts';
import { createWakeup } from './wakeup.ts';
import { type LaneWork, workLane } from './work-lane.ts';

export type Lane = Component & { readonly address: Hex; wake(work: Work): void; held(): boolean };

/**
 * Runs one signing key while this replica holds its lease. A drained lane takes nothing new, and is released when its
 * batches are final.
 */
export function createLane(
  options: LaneWork & {
    readonly age: StoreAge;
    readonly holder: string;
    readonly rpc: Rpc;
    readonly onReleased: (lane: Hex) => void;
  },
): Lane {
  const { signer, grant, age, settings, signing, rpc, broadcaster, funds, logger } = options;
  const { database } = signing;
  const { address } = signer;
  const stopping = new AbortController();
  const wakeup = createWakeup();
  const rounds = createBroadcastRounds({ broadcaster, funds, lane: address, everyMs: settings.rebroadcastMs });
  let held = false;
  let running = Promise.resolve();

  async function takeLane(): Promise<LaneLease | undefined> {
    // Before the lease: a refused replica must not store a first nonce.
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

  async function holdOnce(): Promise<void> {
    const lease = await takeLane();
    if (lease === undefined) return;
    const lost = new AbortController();
    const renewing = setInterval(() => {
      renewLease(database, lease, settings.leaseMs).then(
        (renewed) => renewed || lost.abort(),
        (error: unknown) => logger.warn({ lane: lease.lane, err: error }, 'Lease of a lane could not be renewed'),
      );
    }, settings.leaseMs / 3);
    held = true;
    logger.info({ lane: lease.lane, fence: lease.token }, 'Lane held');
    try {
      rounds.restart();
      await workLane(options, lease, { rounds, wakeup }, AbortSignal.any([stopping.signal, lost.signal]));
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
            // The guard has logged it.
            if (!(error instanceof StoreBehindError)) {
              const level = error instanceof LeaseLostError ? 'info' : 'warn';
              logger[level]({ lane: address, err: error }, 'Lane paused; it is taken again shortly');
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
      if (work === 'rebroadcast') rounds.hurry();
      wakeup.wake();
    },
    held: () => held,
  };
}
