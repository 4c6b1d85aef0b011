import { describe, expect, it } from '@jest/globals';
import { keccak256 as oracle } from 'ethers';
import fc from 'fast-check';
import { hexOfBytes } from './hex.ts';
import { keccak256 } from './keccak.ts';

describe('keccak256', () => {
  it('is that of ethers, whatever was hashed before', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 600 }), { minLength: 1, maxLength: 4 }), (texts) => {
        // All are hashed before one is compared: a result must not change with the next call.
        const hashes = texts.map(keccak256);
        expect(hashes.map(hexOfBytes)).toEqual(texts.map((bytes) => oracle(bytes)));
      }),
      { numRuns: 200 },
    );
  });

  it.each([0, 1, 135, 136, 137, 271, 272, 16_383, 16_384, 16_385, 131_072, 1_000_000])(
    'is that of ethers for %i bytes: the edges of its blocks and of its memory',
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
      expect(hexOfBytes(keccak256(bytes))).toBe(oracle(bytes));
    },
  );

  it('hashes a view of a larger buffer alone', () => {
    const buffer = Buffer.from('before, bytes, behind');
    expect(hexOfBytes(keccak256(buffer.subarray(8, 13)))).toBe(oracle(Buffer.from('bytes')));
  });
});
