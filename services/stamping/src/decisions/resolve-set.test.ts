import { cidOfCollectionName, foldName, type Hex, zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { type KnownCollection, type KnownCollections, resolveSet } from './resolve-set.ts';

const account: Hex = `0x${'aa'.repeat(20)}`;
const known = (...collections: KnownCollection[]): KnownCollections => ({
  byName: (_account, folded) => collections.find((collection) => foldName(collection.name) === folded),
  byCid: (_account, cid) => collections.find((collection) => collection.cid === cid),
});
const photos = { id: 1, account, cid: cidOfCollectionName('Photos'), name: 'Photos' };

describe('the set of a request', () => {
  it('is the zero CID without a collection', () => {
    expect(resolveSet(account, { kind: 'none' }, known())).toEqual({ kind: 'none', setCid: zeroCid });
  });
  it('is the existing collection, whatever the letter case of the name', () => {
    expect(resolveSet(account, { kind: 'named', name: 'pHOTOS' }, known(photos))).toEqual({
      kind: 'existing',
      setCid: photos.cid,
      collection: photos,
    });
  });
  it('is a new collection under the CID of the name as given', () => {
    expect(resolveSet(account, { kind: 'named', name: 'New' }, known(photos))).toEqual({
      kind: 'new',
      setCid: cidOfCollectionName('New'),
      name: 'New',
    });
  });
  it('is refused when another collection has the CID of the name', () => {
    const odd = { ...photos, name: 'Odd', cid: cidOfCollectionName('New') };
    expect(resolveSet(account, { kind: 'named', name: 'New' }, known(odd))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'collection-cid-taken' },
    });
  });
  it('is refused when the CID is not registered', () => {
    expect(resolveSet(account, { kind: 'registered', cid: photos.cid }, known())).toMatchObject({
      kind: 'refused',
      refusal: { code: 'collection-not-registered' },
    });
  });
});
