import type { Refusal } from '@indelible/messages';
import type { OutcomeRules } from './outcome-rules.ts';

/** What a look at the read model found: the collection once it is created, or that there can be none. */
export type SeenCollection<View> =
  | { readonly kind: 'shown'; readonly collection: View }
  | { readonly kind: 'fault'; readonly error: unknown };

export type AwaitedCollection<View> =
  | SeenCollection<View>
  /** Created, which the read model shows soon. */
  | { readonly kind: 'created' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'limit' };

/** A refusal comes by reply alone; the creation is seen in the read model, sooner when a reply reports it. */
export const untilCreated = <View>(): OutcomeRules<
  AwaitedCollection<View> | undefined,
  SeenCollection<View>,
  AwaitedCollection<View>
> => ({
  seeReply(state, reply) {
    if (reply.kind === 'refused') return { kind: 'refused', refusal: reply.refusal };
    return reply.kind === 'collection-created' ? { kind: 'created' } : state;
  },
  seeStatus: (_state, status) => status,
  settle: (state) => state,
  atLimit: () => ({ kind: 'limit' }),
});
