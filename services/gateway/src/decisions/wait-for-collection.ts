import type { Refusal } from '@indelible/messages';
import type { OutcomeRules } from './outcome-rules.ts';

/** From the read model: the collection once it is created, or an error. */
export type SeenCollection<View> =
  | { readonly kind: 'shown'; readonly collection: View }
  | { readonly kind: 'fault'; readonly error: unknown };

export type AwaitedCollection<View> =
  | SeenCollection<View>
  /** Created, which the read model shows soon. */
  | { readonly kind: 'created' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'limit' };

/** A refusal comes by reply alone; the creation shows in the read model, sooner when a reply reports it. */
export const untilCreated = <View>(): OutcomeRules<
  AwaitedCollection<View> | undefined,
  SeenCollection<View>,
  AwaitedCollection<View>
> => ({
  applyReply(state, reply) {
    if (reply.kind === 'refused') return { kind: 'refused', refusal: reply.refusal };
    return reply.kind === 'collection-created' ? { kind: 'created' } : state;
  },
  applyStatus: (_state, status) => status,
  outcomeOf: (state) => state,
  atLimit: () => ({ kind: 'limit' }),
});
