import { cidOfCollectionName, foldName, type Hex } from '@indelible/identifiers';
import type { CreateCollection, Refusal } from '@indelible/messages';
import type { KnownCollection, KnownCollections } from './resolve-set.ts';

export type CollectionDecision =
  | { readonly kind: 'register'; readonly cid: Hex }
  /** A repeated request for a collection that is still being recorded. */
  | { readonly kind: 'wait'; readonly collection: KnownCollection }
  | { readonly kind: 'refuse'; readonly refusal: Refusal };

/** Further facts of a registered collection. */
export type RegisteredCollection = {
  readonly isCreated: boolean;
  readonly description: string | null;
  readonly isPinned: boolean;
};

/**
 * (account, name) and (account, cid) are each unique. A repeated request (name in any letter case, CID as resolved,
 * description, pin) waits until the first is created on chain; a different one is refused at once, since a collection
 * never changes. One that a stamp registers has no description and is not pinned.
 */
export function decideCollection(
  request: Pick<CreateCollection, 'account' | 'name' | 'cid' | 'description' | 'isPinned'>,
  known: KnownCollections,
  registered: (collection: KnownCollection) => RegisteredCollection | undefined,
): CollectionDecision {
  const cid = request.cid ?? cidOfCollectionName(request.name);
  const named = known.byName(request.account, foldName(request.name));
  const holder = named ?? known.byCid(request.account, cid);
  if (holder === undefined) return { kind: 'register', cid };
  const former = registered(holder);
  const same =
    named !== undefined &&
    named.cid === (request.cid ?? cidOfCollectionName(named.name)) &&
    former?.description === request.description &&
    former.isPinned === request.isPinned;
  if (same && !former.isCreated) return { kind: 'wait', collection: named };
  const field = named !== undefined ? 'name' : 'cid';
  return {
    kind: 'refuse',
    refusal: { code: 'collection-exists', message: `${field}: the account already has the collection ${holder.name}` },
  };
}
