import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRepetitions } from './repetitions.ts';

type Pair = { readonly cid: Uint8Array; readonly instant: number };
const maxInstant = 253_402_300_799;

/** Positions reported as repeated. */
function repeating(pairs: Iterable<Pair>): readonly number[] | undefined {
  const repetitions = createRepetitions();
  let position = 0;
  for (const { cid, instant } of pairs) repetitions.note(Buffer.from(cid), 0, instant, position++);
  return repetitions.positions();
}
function* distinct(count: number, cidOf: (i: number) => Buffer, instantOf: (i: number) => number): Generator<Pair> {
  for (let i = 0; i < count; i++) yield { cid: cidOf(i), instant: instantOf(i) };
}
const hashOf = (i: number): Buffer => createHash('sha256').update(String(i)).digest();
const constant = hashOf(0);

describe('repetitions among pairs of CID and instant', () => {
  it('are never missed, wherever both are', () => {
    const pair = fc.record({
      cid: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      instant: fc.integer({ min: 0, max: maxInstant }),
    });
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 50 }), fc.nat(), fc.nat(), (pairs, which, where) => {
        const again = pairs[which % pairs.length] as Pair;
        const after = (which % pairs.length) + 1 + (where % (pairs.length - (which % pairs.length)));
        expect(repeating([...pairs.slice(0, after), again, ...pairs.slice(after)])).toContain(after);
      }),
    );
  });

  it('are found between the first pair and the last of many', () => {
    const many = [...distinct(20_000, hashOf, () => 1)];
    const again = [0, 8_191, 8_192, 19_999].map((first) => many[first] as Pair);
    expect(repeating([...many, ...again])).toEqual([20_000, 20_001, 20_002, 20_003]);
  });

  it.each([
    ['of a CID each', hashOf, () => 1_700_000_000],
    ['of one CID at a second each', () => constant, (i: number) => 1_700_000_000 + i],
    ['of one CID at seconds far apart', () => constant, (i: number) => i * 1_000_003],
    ['of a CID and a second each', hashOf, (i: number) => 1_700_000_000 + i],
  ])('are not seen among two hundred thousand distinct pairs %s', (_, cidOf, instantOf) => {
    expect(repeating(distinct(200_000, cidOf, instantOf))).toEqual([]);
  });

  it('are not listed one by one when they are many, and pairs made to be taken for some cost no work', () => {
    const alike = (i: number): Buffer => {
      const cid = Buffer.alloc(32);
      cid.writeInt32BE(i, 4);
      return cid;
    };
    expect(
      repeating(
        distinct(
          2_001,
          () => constant,
          () => 1,
        ),
      ),
    ).toHaveLength(2_000);
    expect(
      repeating(
        distinct(
          2_002,
          () => constant,
          () => 1,
        ),
      ),
    ).toBeUndefined();
    expect(repeating(distinct(1_000_000, alike, () => 1))).toBeUndefined();
  });
});
