import { cidOfCollectionName, foldName, type Hex, zeroCid } from '@indelible/identifiers';
import type { Refusal, TargetSet } from '@indelible/messages';

/** A collection as decisions see it. */
export type KnownCollection = {
  /** Null: registered by this batch of requests. */
  readonly id: number | null;
  readonly account: Hex;
  readonly cid: Hex;
  readonly name: string;
};

export type KnownCollections = {
  byName(account: Hex, folded: string): KnownCollection | undefined;
  byCid(account: Hex, cid: Hex): KnownCollection | undefined;
};

export type ResolvedSet =
  | { readonly kind: 'none'; readonly setCid: Hex }
  | { readonly kind: 'existing'; readonly setCid: Hex; readonly collection: KnownCollection }
  | { readonly kind: 'new'; readonly setCid: Hex; readonly name: string }
  | { readonly kind: 'refused'; readonly setCid: Hex; readonly refusal: Refusal };

/**
 * Resolves the set of a request. An unknown name makes a new collection with the name's own CID; when another of the
 * account's collections already has that CID, the request is refused (docs/interface.md, Collections).
 */
export function resolveSet(account: Hex, set: TargetSet, known: KnownCollections): ResolvedSet {
  switch (set.kind) {
    case 'none':
      return { kind: 'none', setCid: zeroCid };
    case 'registered': {
      const collection = known.byCid(account, set.cid);
      if (collection !== undefined) return { kind: 'existing', setCid: collection.cid, collection };
      return {
        kind: 'refused',
        setCid: set.cid,
        refusal: { code: 'collection-not-registered', message: `Collection CID is not registered: ${set.cid}` },
      };
    }
    case 'named': {
      const collection = known.byName(account, foldName(set.name));
      if (collection !== undefined) return { kind: 'existing', setCid: collection.cid, collection };
      const cid = cidOfCollectionName(set.name);
      const holder = known.byCid(account, cid);
      if (holder === undefined) return { kind: 'new', setCid: cid, name: set.name };
      return {
        kind: 'refused',
        setCid: cid,
        refusal: {
          code: 'collection-cid-taken',
          message: `collection_name: the CID of this name belongs to another collection of the account: ${holder.name}`,
        },
      };
    }
  }
}
