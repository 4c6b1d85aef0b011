import type { Hex } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { follows } from './cursor.ts';

const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
const block = (number: number, part = 1, parts = 1, parent = hash(number - 1)): BlockAppended => ({
  chainId: 1,
  number,
  hash: hash(number),
  parentHash: parent,
  time: 0,
  part,
  parts,
  logs: [],
});
const at = (number: number, part = 1, parts = 1) => ({ number, hash: hash(number), part, parts });

describe('what follows on the chain', () => {
  it('is any first part when nothing was read', () => {
    expect(follows(undefined, block(7))).toBe(true);
    expect(follows(undefined, block(7, 2, 2))).toBe(false);
  });
  it('is the child of the block that was read', () => {
    expect(follows(at(6), block(7))).toBe(true);
    expect(follows(at(5), block(7))).toBe(false);
    expect(follows(at(6), block(7, 1, 1, hash(99)))).toBe(false);
  });
  it('is the next part of a block that was read in part, and nothing else', () => {
    expect(follows(at(7, 1, 3), block(7, 2, 3))).toBe(true);
    expect(follows(at(7, 1, 3), block(7, 3, 3))).toBe(false);
    expect(follows(at(7, 1, 3), block(8))).toBe(false);
    expect(follows(at(7, 3, 3), block(8))).toBe(true);
  });
});
