import { cidOfCollectionName, foldName, type Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { decideCollection, type RegisteredCollection } from './decide-collection.ts';
import type { KnownCollection } from './resolve-set.ts';

const account: Hex = `0x${'aa'.repeat(20)}`;
const cid: Hex = `0x${'cc'.repeat(32)}`;
const decide = (
  request: Partial<Parameters<typeof decideCollection>[0]>,
  stored?: KnownCollection & Partial<RegisteredCollection>,
) =>
  decideCollection(
    { account, name: 'Photos', cid: null, description: null, isPinned: false, ...request },
    {
      byName: (_, folded) => (stored !== undefined && foldName(stored.name) === folded ? stored : undefined),
      byCid: (_, wanted) => (stored?.cid === wanted ? stored : undefined),
    },
    () => ({ isCreated: false, description: null, isPinned: false, ...stored }),
  ).kind;
const photos = { id: 1, account, name: 'Photos', cid: cidOfCollectionName('Photos') };

describe('a request for a collection', () => {
  it('that nobody made registers it', () => {
    expect(decide({})).toBe('register');
  });

  it.each<[string, Partial<Parameters<typeof decideCollection>[0]>]>([
    ['as it is', {}],
    ['with the CID that it has anyway', { cid: photos.cid }],
    ['in another letter case', { name: 'pHotos' }],
  ])('in flight, %s, waits for it', (_, request) => {
    expect(decide(request, photos)).toBe('wait');
  });

  it.each<[string, Partial<Parameters<typeof decideCollection>[0]>, Partial<KnownCollection & RegisteredCollection>]>([
    ['another description', { description: 'wanted' }, {}],
    ['no description where the first has one', {}, { description: 'first' }],
    ['another pin', { isPinned: true }, {}],
    ['another CID', { cid }, {}],
    ['no CID where the first has its own', {}, { cid }],
    ['another name with the same CID', { name: 'Other', cid: photos.cid }, {}],
    ['its name in another letter case where the first has a CID of its own', { name: 'photos' }, { cid }],
    ['nothing else, once it is created', {}, { isCreated: true }],
  ])('in flight, with %s, is refused', (_, request, former) => {
    expect(decide(request, { ...photos, ...former })).toBe('refuse');
  });

  it('in flight, with the same description and pin, waits for it', () => {
    const same = { description: 'mine', isPinned: true };
    expect(decide(same, { ...photos, ...same })).toBe('wait');
  });
});
