import { lookUp, unknown } from '@indelible/service-runtime';
import { Gauge, type Registry } from 'prom-client';
import type { FundsShares } from './batching/funds-shares.ts';

/**
 * Reports how many accounts are held back. Every replica reads it from the database: in a dashboard, use the highest
 * value.
 */
export function showFundsShares(metrics: Registry, shares: FundsShares): void {
  const known = lookUp(shares.over, { maxAgeMs: 10_000 });
  new Gauge({
    name: 'indelible_stamping_accounts_out_of_funds_share',
    help: 'Accounts that have used their share of what lanes own: their new stamps are refused, and what is accepted waits',
    registers: [metrics],
    async collect() {
      this.set((await known())?.length ?? unknown);
    },
  });
}
