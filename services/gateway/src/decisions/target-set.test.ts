import { cidOfCollectionName, cidOfContent, zeroCid } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { resolveTarget } from './target-set.ts';

const cid = cidOfContent('own cid');
const named = { kind: 'named', name: 'Tree', folded: 'tree' } as const;

describe('the set a request names', () => {
  it('is the zero CID without a collection', () => {
    expect(resolveTarget({ kind: 'none' }, undefined)).toMatchObject({ set: { kind: 'none' }, setCid: zeroCid });
  });
  it('has the CID of its name when the account does not have it yet', () => {
    expect(resolveTarget(named, undefined)).toEqual({
      set: { kind: 'named', name: 'Tree' },
      setCid: cidOfCollectionName('Tree'),
      key: 'name tree',
      certain: false,
    });
  });
  it('has the CID it was registered with, created or not', () => {
    expect(resolveTarget(named, { cid, name: 'Photos', created: false })).toMatchObject({ setCid: cid, certain: true });
  });
  it('by CID must be registered', () => {
    expect(resolveTarget({ kind: 'cid', cid }, undefined)).toEqual({ fault: 'not-registered', cid });
  });
  it('by CID must be created', () => {
    expect(resolveTarget({ kind: 'cid', cid }, { cid, name: 'Photos', created: false })).toEqual({
      fault: 'not-created',
      cid,
      name: 'Photos',
    });
    expect(resolveTarget({ kind: 'cid', cid }, { cid, name: 'Photos', created: true })).toMatchObject({
      set: { kind: 'registered', cid },
      setCid: cid,
    });
  });
});
