import { type Run, runSize } from '@indelible/commitment-contract';
import type { Hex } from '@indelible/identifiers';

/** What an account spends with a batch: its part of the gas limit, and what that is likely to cost. */
export type Spending = { readonly account: Hex; readonly gas: number; readonly wei: bigint };

/**
 * Accounts with a smaller part of a batch are left out, so that a batch writes 20 rows at most. An account that floods has a large part: what
 * small ones do not fill.
 */
const leastParts = 20;

/** Divides the gas limit of a batch among its accounts by what their runs take. */
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
