import type { Receipt } from '@indelible/messages';
import type { ResolvedTarget } from './target-set.ts';

/** The outcome of the request that held an identity's lock, for those that waited for it. */
export type SharedOutcome =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'answered';
      readonly stampId: string;
      readonly receipt: Receipt;
      /** The key of its target set. */
      readonly target: string;
      /** Its stamp was in flight while it held the lock; one that only repeated an older stamp is not fresh. */
      readonly fresh: boolean;
      /** A file is stored for the stamp. */
      readonly hasFile: boolean;
    };

/**
 * Whether a request that waited for another of the same identity is answered by its outcome: then it needs no
 * command. In doubt it is not, and Postgres decides (I2).
 * @param nowSeconds since 1970
 */
export function isAnsweredBy(
  outcome: SharedOutcome,
  request: {
    readonly target: ResolvedTarget;
    readonly windowSeconds: number;
    /** Whether it brings content that is to be stored. */
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
