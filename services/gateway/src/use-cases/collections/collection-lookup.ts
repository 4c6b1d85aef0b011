import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { together } from '@indelible/service-runtime';
import type { RequestedSet } from '../../decisions/read-stamp-form.ts';
import { noSet, type ResolvedTarget, resolveTarget, type TargetFault } from '../../decisions/target-set.ts';
import { type CollectionKey, type CollectionView, findCollections } from '../../projections/collections.ts';

/** Looks up a collection; requests in the same turn of the event loop share a query. */
export type CollectionLookup = (key: CollectionKey) => Promise<CollectionView | undefined>;

/** The target of a request's set, among the account's collections. */
export async function findTarget(
  lookup: CollectionLookup,
  account: Hex,
  set: RequestedSet,
): Promise<ResolvedTarget | TargetFault> {
  if (set.kind === 'none') return noSet;
  return resolveTarget(
    set,
    await lookup(set.kind === 'cid' ? { account, cid: set.cid } : { account, folded: set.folded }),
  );
}

/** Of one query. */
const maxKeys = 500;

export const createCollectionLookup = (database: Pick<Database, 'query'>): CollectionLookup =>
  together((keys: readonly CollectionKey[]) => findCollections(database, keys), maxKeys);
