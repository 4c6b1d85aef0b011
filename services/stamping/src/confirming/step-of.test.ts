import type { Hex } from '@indelible/identifiers';
import {
  BlockAppended as Block,
  type BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
} from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import type { Cursor } from './cursor.ts';
import { type ChainFact, stepOf } from './step-of.ts';

const hashOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const fact = (contract: ChainFact['contract'], data: object) => ({ contract, data }) as ChainFact;
const block = (number: number, changes: Partial<BlockAppended> = {}) =>
  fact(Block, {
    ...{ chainId: 1, number, hash: hashOf(number), parentHash: hashOf(number - 1), time: number },
    ...{ part: 1, parts: 1, logs: [], ...changes },
  });
const mark = (contract: typeof BlocksSafe | typeof BlocksFinalized, number: number) =>
  fact(contract, { chainId: 1, number, hash: hashOf(number) });
const at = (number: number, changes: Partial<Cursor> = {}): Cursor => ({
  position: { number, hash: hashOf(number), part: 1, complete: true },
  ...{ safe: 0, finalized: 0, ...changes },
});

describe('what a fact means at a cursor (I5, I11)', () => {
  it('a block after the position is applied', () => {
    expect(stepOf(at(4), block(5))).toEqual({ kind: 'apply', cursor: at(5) });
  });

  it('a known block is dropped, a later one says which are missing', () => {
    expect(stepOf(at(5), block(5))).toEqual({ kind: 'drop' });
    expect(stepOf(at(5), block(4))).toEqual({ kind: 'drop' });
    expect(stepOf(at(5), block(8))).toEqual({ kind: 'missing', from: 6 });
  });

  it('a reorg takes back what is above its ancestor', () => {
    const reorg = fact(BlocksReverted, {
      ...{ chainId: 1, ancestor: { number: 3, hash: hashOf(3) }, revertedHead: { number: 5, hash: hashOf(5) } },
    });
    expect(stepOf(at(5), reorg)).toEqual({ kind: 'revert', position: at(3).position });
  });

  it('a block that contradicts the position takes back what is not final, and is read again', () => {
    const step = stepOf(at(5, { finalized: 2 }), block(6, { parentHash: hashOf(99) }));
    expect(step).toMatchObject({ kind: 'revert', position: { number: 2 }, missing: 3 });
  });

  it('what is final is safe, and a mark never goes back', () => {
    expect(stepOf(at(5), mark(BlocksFinalized, 5))).toEqual({
      kind: 'apply',
      cursor: at(5, { safe: 5, finalized: 5 }),
    });
    expect(stepOf(at(5, { safe: 4 }), mark(BlocksSafe, 5))).toEqual({ kind: 'apply', cursor: at(5, { safe: 5 }) });
    expect(stepOf(at(5, { safe: 4, finalized: 4 }), mark(BlocksSafe, 3))).toMatchObject({
      cursor: { safe: 4, finalized: 4 },
    });
  });
});
