import { cidOfCollectionName, foldName, type Hex } from '@indelible/identifiers';
import type { CreateCollection, Refusal } from '@indelible/messages';
import type { KnownCollection, KnownCollections } from './resolve-set.ts';

export type CollectionDecision =
  | { readonly kind: 'register'; readonly cid: Hex }
  /** The same request again, for a collection whose recording is under way. */
  | { readonly kind: 'wait'; readonly collection: KnownCollection }
  | { readonly kind: 'refuse'; readonly refusal: Refusal };

/**
 * (account, name) and (account, cid) are each unique; the same request again waits while the first is not created on
 * chain (decisions, Collections).
 */
export function decideCollection(
  request: Pick<CreateCollection, 'account' | 'name' | 'cid'>,
  known: KnownCollections,
  isCreated: (collection: KnownCollection) => boolean,
): CollectionDecision {
  const cid = request.cid ?? cidOfCollectionName(request.name);
  const named = known.byName(request.account, foldName(request.name));
  const holder = named ?? known.byCid(request.account, cid);
  if (holder === undefined) return { kind: 'register', cid };
  const same = named !== undefined && (request.cid === null || named.cid === request.cid);
  if (same && !isCreated(named)) return { kind: 'wait', collection: named };
  const field = named !== undefined ? 'name' : 'cid';
  return {
    kind: 'refuse',
    refusal: { code: 'collection-exists', message: `${field}: the account already has the collection ${holder.name}` },
  };
}
