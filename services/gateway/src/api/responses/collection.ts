import type { CollectionView } from '../../projections/collections.ts';
import type { components } from '../generated/openapi.ts';

export const collectionBody = (collection: CollectionView): components['schemas']['Collection'] => ({
  id: collection.id,
  name: collection.name,
  cid: collection.cid,
  is_pinned: collection.isPinned,
  is_portfolio: false,
  is_portfolio_collection: false,
  is_public: collection.isPublic,
  created_at: collection.registeredAt.toISOString(),
  description: collection.description,
});
