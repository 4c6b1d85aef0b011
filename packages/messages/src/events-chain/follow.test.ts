import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { BlockAppended } from './block-appended.ts';
import { type ChainPosition, rewound, unknownHash, wayOfBlock, wayOfMark, wayOfRevert } from './follow.ts';

const hash = (n: number, branch = 0): Hex => `0x${branch}${(n + 1).toString(16).padStart(63, '0')}`;
const block = (number: number, given: Partial<BlockAppended> = {}): BlockAppended => ({
  chainId: 1,
  number,
  hash: hash(number),
  parentHash: hash(number - 1),
  time: 0,
  part: 1,
  parts: 1,
  logs: [],
  ...given,
});
const at = (number: number, given: Partial<ChainPosition> = {}): ChainPosition => ({
  number,
  hash: hash(number),
  part: 1,
  complete: true,
  ...given,
});
const place = (number: number, branch = 0) => ({ number, hash: hash(number, branch) });
const revert = (ancestor: number, head: number, branch = 0) => ({
  chainId: 1,
  ancestor: place(ancestor),
  revertedHead: place(head, branch),
});

describe('wayOfBlock', () => {
  it('begins with any first part', () => {
    expect(wayOfBlock(undefined, block(7))).toEqual({ kind: 'follows' });
    expect(wayOfBlock(undefined, block(7, { part: 2, parts: 2 }))).toEqual({ kind: 'gap', from: 7 });
  });

  it('follows with the child, and part by part', () => {
    expect(wayOfBlock(at(6), block(7))).toEqual({ kind: 'follows' });
    const open = at(7, { complete: false });
    expect(wayOfBlock(open, block(7, { part: 2, parts: 3 }))).toEqual({ kind: 'follows' });
    expect(wayOfBlock(open, block(7, { part: 3, parts: 3 }))).toEqual({ kind: 'gap', from: 7 });
    expect(wayOfBlock(open, block(8))).toEqual({ kind: 'gap', from: 7 });
    expect(wayOfBlock(at(6), block(7, { part: 2, parts: 2 }))).toEqual({ kind: 'gap', from: 7 });
  });

  it('knows what it read, however long ago, and parts that come again', () => {
    expect(wayOfBlock(at(9), block(9))).toEqual({ kind: 'known' });
    expect(wayOfBlock(at(900), block(3))).toEqual({ kind: 'known' });
    expect(wayOfBlock(at(7, { part: 2, complete: false }), block(7, { part: 2, parts: 3 }))).toEqual({ kind: 'known' });
  });

  it('sees a gap, and what is missing', () => {
    expect(wayOfBlock(at(5), block(7))).toEqual({ kind: 'gap', from: 6 });
  });

  it('sees that its own block is on a fork, at its height or by the parent', () => {
    expect(wayOfBlock(at(7, { hash: hash(7, 1) }), block(7))).toEqual({ kind: 'fork' });
    expect(wayOfBlock(at(6, { hash: hash(6, 1) }), block(7))).toEqual({ kind: 'fork' });
    expect(wayOfBlock(at(7, { hash: hash(7, 1), complete: false }), block(7))).toEqual({ kind: 'fork' });
  });

  it('takes the next block of a position that was rewound at its word', () => {
    const position = rewound(at(9), 6);
    expect(position).toEqual({ number: 6, hash: unknownHash, part: 1, complete: true });
    expect(wayOfBlock(position, block(6))).toEqual({ kind: 'known' });
    expect(wayOfBlock(position, block(7))).toEqual({ kind: 'follows' });
    expect(wayOfBlock(position, block(8))).toEqual({ kind: 'gap', from: 7 });
    expect(wayOfBlock(rewound(at(900), null), block(1))).toEqual({ kind: 'follows' });
  });
});

describe('wayOfRevert', () => {
  it('follows when it names the position, or a block above it', () => {
    expect(wayOfRevert(at(9), revert(5, 9))).toEqual({ kind: 'follows' });
    expect(wayOfRevert(at(7), revert(5, 9))).toEqual({ kind: 'follows' });
    expect(wayOfRevert(rewound(at(9), 7), revert(5, 9))).toEqual({ kind: 'follows' });
  });

  it('changes nothing of blocks that were not read, or of a time before', () => {
    expect(wayOfRevert(undefined, revert(5, 9))).toEqual({ kind: 'known' });
    expect(wayOfRevert(at(4), revert(5, 9))).toEqual({ kind: 'known' });
    expect(wayOfRevert(at(5), revert(5, 9))).toEqual({ kind: 'known' });
    expect(wayOfRevert(at(20), revert(5, 9))).toEqual({ kind: 'known' });
  });

  it('sees a fork when head or ancestor is another block at its height', () => {
    expect(wayOfRevert(at(9), revert(5, 9, 1))).toEqual({ kind: 'fork' });
    expect(wayOfRevert(at(5, { hash: hash(5, 1) }), revert(5, 9))).toEqual({ kind: 'fork' });
  });
});

describe('wayOfMark', () => {
  const mark = (number: number, branch = 0) => ({ chainId: 1, ...place(number, branch) });

  it('counts only what was read', () => {
    expect(wayOfMark(at(9), mark(9))).toEqual({ kind: 'follows' });
    expect(wayOfMark(at(9), mark(4))).toEqual({ kind: 'follows' });
    expect(wayOfMark(undefined, mark(4))).toEqual({ kind: 'known' });
  });

  it('leaves a mark above the position, or on another branch, to be published again (I1)', () => {
    expect(wayOfMark(at(9), mark(10))).toEqual({ kind: 'gap', from: 10 });
    expect(wayOfMark(at(9), mark(9, 1))).toEqual({ kind: 'gap', from: 10 });
    expect(wayOfMark(at(9, { complete: false }), mark(9))).toEqual({ kind: 'gap', from: 9 });
  });
});

describe('rewound', () => {
  it('is below the position and at a final block', () => {
    expect(rewound(at(9), 9).number).toBe(8);
    expect(rewound(at(9), 3).number).toBe(3);
    expect(rewound(at(0), null).number).toBe(0);
  });
});
