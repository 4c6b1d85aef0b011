import { lookUp, unknown } from '@indelible/service-runtime';
import { Gauge, type Registry } from 'prom-client';
import type { Backlog } from './batching/backlog.ts';

/** Reports the backlog. Every replica reads it from the database: in a dashboard, use the highest value. */
export function showBacklog(metrics: Registry, look: () => Promise<Backlog>): void {
  const registers = [metrics];
  const known = lookUp(look, { maxAgeMs: 10_000 });
  new Gauge({
    name: 'indelible_stamping_stamps_under_way',
    help: 'Stamps not confirmed: waiting for a batch, submitted in a transaction, in_block below the configured depth (counted up to 10,000)',
    labelNames: ['state'],
    registers,
    async collect() {
      const backlog = await known();
      this.set({ state: 'waiting' }, backlog?.waiting ?? unknown);
      this.set({ state: 'submitted' }, backlog?.submitted ?? unknown);
      this.set({ state: 'in_block' }, backlog?.inBlock ?? unknown);
    },
  });
  new Gauge({
    name: 'indelible_stamping_oldest_unconfirmed_seconds',
    help: 'Time since the oldest stamp was requested that is not confirmed; 0 without one',
    registers,
    async collect() {
      this.set((await known())?.oldestSeconds ?? unknown);
    },
  });
  new Gauge({
    name: 'indelible_stamping_batches_not_final',
    help: 'Batches in blocks that are not final (counted up to 10,000)',
    registers,
    async collect() {
      this.set((await known())?.batchesNotFinal ?? unknown);
    },
  });
  new Gauge({
    name: 'indelible_stamping_lane_pending_transactions',
    help: 'Transactions of a lane that are signed and in no block',
    labelNames: ['lane'],
    registers,
    async collect() {
      for (const { lane, pending } of (await known())?.lanes ?? []) this.set({ lane }, pending);
    },
  });
  new Gauge({
    name: 'indelible_stamping_lane_oldest_pending_seconds',
    help: 'Time since the oldest transaction of a lane that is in no block was signed; 0 without one',
    labelNames: ['lane'],
    registers,
    async collect() {
      for (const { lane, oldestSeconds } of (await known())?.lanes ?? []) this.set({ lane }, oldestSeconds);
    },
  });
}
