import type { Receipt } from '@indelible/messages';
import type { ResolvedTarget } from './target-set.ts';

/** The outcome of the request that held an identity's lock, for those that wait for it. */
export type SharedOutcome =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'answered';
      readonly stampId: string;
      readonly receipt: Receipt;
      /** The key of its target set. */
      readonly target: string;
      /** Its stamp was in flight while it held the lock; a repeated older stamp is not fresh. */
      readonly fresh: boolean;
      /** A file is stored for the stamp. */
      readonly hasFile: boolean;
    };

/**
 * Whether the outcome of another request of the same identity answers this one, which then needs no command. In doubt
 * it does not, and Postgres decides (I2).
 * @param nowSeconds since 1970
 */
export function isAnsweredBy(
  outcome: SharedOutcome,
  request: {
    readonly target: ResolvedTarget;
    readonly windowSeconds: number;
    /** Whether it brings content to store. */
    readonly bringsContent: boolean;
  },
  nowSeconds: number,
): outcome is Extract<SharedOutcome, { kind: 'answered' }> {
  if (outcome.kind === 'none') return false;
  const sameSet =
    outcome.target === request.target.key ||
    (request.target.certain && outcome.receipt.setCid === request.target.setCid);
  const inWindow = outcome.fresh || nowSeconds - outcome.receipt.blockTime < request.windowSeconds;
  return sameSet && inWindow && (outcome.hasFile || !request.bringsContent);
}
