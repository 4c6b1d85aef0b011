import type { Database } from '@indelible/postgres';
import { together } from '@indelible/service-runtime';
import { type CollectionKey, type CollectionView, findCollections } from '../../projections/collections.ts';

/** Looks a collection up; requests in the same turn of the event loop share a query. */
export type CollectionLookup = (key: CollectionKey) => Promise<CollectionView | undefined>;

/** Of one query. */
const maxKeys = 500;

export const createCollectionLookup = (database: Pick<Database, 'query'>): CollectionLookup =>
  together((keys: readonly CollectionKey[]) => findCollections(database, keys), maxKeys);
