import type { Refusal } from '@indelible/messages';
import type { CollectionView } from '../projections/collections.ts';
import type { OutcomeRules } from './outcome-rules.ts';

/** From the read model: the collection once it is created, or an error. */
export type SeenCollection =
  | { readonly kind: 'shown'; readonly collection: CollectionView }
  | { readonly kind: 'fault'; readonly error: unknown };

export type AwaitedCollection =
  | SeenCollection
  /** Created, which the read model shows soon. */
  | { readonly kind: 'created' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'limit' };

/** A refusal comes only by reply; a creation shows in the read model, sooner when a reply reports it. */
export const untilCreated: OutcomeRules<AwaitedCollection | undefined, SeenCollection, AwaitedCollection> = {
  applyReply(state, reply) {
    if (reply.kind === 'refused') return { kind: 'refused', refusal: reply.refusal };
    return reply.kind === 'collection-created' ? { kind: 'created' } : state;
  },
  applyStatus: (_state, status) => status,
  outcomeOf: (state) => state,
  atLimit: () => ({ kind: 'limit' }),
};
