import { cidOfContent, zeroCid } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { isAnsweredBy, type SharedOutcome } from './shared-outcome.ts';
import type { ResolvedTarget } from './target-set.ts';

const now = 1_000_000;
const cid = cidOfContent('set');
const receipt = { setCid: cid, blockTime: now - 10 } as Receipt;
const named: ResolvedTarget = { set: { kind: 'named', name: 'A' }, setCid: cid, key: 'name a', certain: false };
const answered: SharedOutcome = {
  kind: 'answered',
  stampId: 's',
  receipt,
  target: 'name a',
  fresh: true,
  hasFile: false,
};
const request = { target: named, windowSeconds: 3600, bringsContent: false };

describe('a request that waited for another of its identity', () => {
  it('is answered by its outcome', () => {
    expect(isAnsweredBy(answered, request, now)).toBe(true);
  });
  it('continues by itself when the other had no outcome', () => {
    expect(isAnsweredBy({ kind: 'none' }, request, now)).toBe(false);
  });
  it('continues by itself to store content of a stamp without a file', () => {
    expect(isAnsweredBy(answered, { ...request, bringsContent: true }, now)).toBe(false);
    expect(isAnsweredBy({ ...answered, hasFile: true }, { ...request, bringsContent: true }, now)).toBe(true);
  });
  it('joins a stamp that was in flight even with a zero window', () => {
    expect(isAnsweredBy(answered, { ...request, windowSeconds: 0 }, now)).toBe(true);
  });
  it('holds an older stamp against its own window: now − block time < window', () => {
    const repeated = { ...answered, fresh: false };
    expect(isAnsweredBy(repeated, { ...request, windowSeconds: 10 }, now)).toBe(false);
    expect(isAnsweredBy(repeated, { ...request, windowSeconds: 11 }, now)).toBe(true);
  });
  it('trusts an equal CID only when it is certain of its own', () => {
    const byCid = { ...answered, target: `cid ${cid}` };
    expect(isAnsweredBy(byCid, request, now)).toBe(false);
    expect(isAnsweredBy(byCid, { ...request, target: { ...named, certain: true } }, now)).toBe(true);
    const elsewhere = { ...named, certain: true, setCid: zeroCid };
    expect(isAnsweredBy(byCid, { ...request, target: elsewhere }, now)).toBe(false);
  });
});
