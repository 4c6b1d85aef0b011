import { type Run, runSize } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';

/** An account's spending on a batch: its part of the gas limit, and the likely cost. */
export type Spending = { readonly account: Hex; readonly gas: number; readonly wei: bigint };

/**
 * Accounts with a smaller part of a batch are left out, so that a batch writes at most 20 rows. An account that floods
 * has a large part: what small ones leave free.
 */
const leastParts = 20;

/** Divides a batch's gas limit among its accounts by the gas of their runs. */
export function spendingOfBatch(runs: readonly Run[], gasLimit: number, likelyPriceWei: bigint): readonly Spending[] {
  const taken = new Map<Hex, number>();
  let all = 0;
  for (const run of runs) {
    const { gas } = runSize(run);
    taken.set(run.user, (taken.get(run.user) ?? 0) + gas);
    all += gas;
  }
  return [...taken]
    .filter(([, gas]) => gas * leastParts >= all)
    .map(([account, own]) => {
      const gas = Math.round((gasLimit * own) / all);
      return { account, gas, wei: BigInt(gas) * likelyPriceWei };
    });
}
