import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import fc from 'fast-check';
import { commitmentServiceAbi } from '../generated/commitment-service.ts';
import { encodeCommitBatch, type Run } from './commit-batch.ts';

const oracle = new Interface(commitmentServiceAbi);
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexOfBytes);
const runs = fc.array(
  fc.record({ user: bytes(20), count: fc.nat({ max: 9 }), newSet: fc.boolean(), setCid: bytes(32) }),
  { maxLength: 8 },
);
const batches = runs.chain((list) => {
  const objects = list.reduce((sum, run) => sum + run.count, 0);
  return fc.record({
    runs: fc.constant(list),
    cids: fc.array(bytes(32), { minLength: objects, maxLength: objects }),
  });
});
const cid: Hex = `0x${'5c'.repeat(32)}`;
const run: Run = { user: `0x${'ab'.repeat(20)}`, count: 1, newSet: true, setCid: `0x${'00'.repeat(32)}` };

describe('encodeCommitBatch', () => {
  it('gives what ethers gives, for any runs and objects', () => {
    fc.assert(
      fc.property(batches, ({ runs, cids }) => {
        expect(hexOfBytes(encodeCommitBatch(runs, cids))).toBe(oracle.encodeFunctionData('commitBatch', [runs, cids]));
      }),
      { numRuns: 200 },
    );
  });

  it('takes the objects as packed bytes as well', () => {
    fc.assert(
      fc.property(batches, ({ runs, cids }) => {
        const packed = Buffer.from(cids.map((value) => value.slice(2)).join(''), 'hex');
        expect(encodeCommitBatch(runs, packed)).toEqual(encodeCommitBatch(runs, cids));
      }),
    );
  });

  it('takes upper-case digits', () => {
    const upper = (text: Hex): Hex => `0x${text.slice(2).toUpperCase()}`;
    const shouted = { ...run, user: upper(run.user), setCid: upper(cid) };
    expect(encodeCommitBatch([shouted], [upper(cid)])).toEqual(encodeCommitBatch([{ ...run, setCid: cid }], [cid]));
  });

  it('refuses counts that do not sum up to the objects', () => {
    expect(() => encodeCommitBatch([run], [])).toThrow(RangeError);
    expect(() => encodeCommitBatch([run], [cid, cid])).toThrow(RangeError);
    expect(() => encodeCommitBatch([], [cid])).toThrow(RangeError);
    expect(() => encodeCommitBatch([run], new Uint8Array(33))).toThrow(RangeError);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses the count %p', (count) => {
    expect(() => encodeCommitBatch([{ ...run, count }], [cid])).toThrow(RangeError);
  });

  it.each([
    ['a digit too few', cid.slice(0, -1)],
    ['a digit too many', `${cid}0`],
    ['no 0x', `00${cid.slice(2)}`],
    ['a letter that is no digit', `${cid.slice(0, -1)}g`],
    ['a character above 0x7f', `${cid.slice(0, -1)}\u{ff15}`],
    ['a character whose low byte is a digit', `${cid.slice(0, -1)}\u{161}`],
    ['white space', `${cid.slice(0, -1)} `],
  ])('refuses a CID with %s, as object and as set', (_, text) => {
    const malformed = text as Hex;
    expect(() => encodeCommitBatch([run], [malformed])).toThrow(RangeError);
    expect(() => encodeCommitBatch([{ ...run, setCid: malformed }], [cid])).toThrow(RangeError);
  });

  it('refuses a malformed user', () => {
    expect(() => encodeCommitBatch([{ ...run, user: cid }], [cid])).toThrow(RangeError);
  });
});
