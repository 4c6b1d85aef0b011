import { unknownHash } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { type ChainCursor, type ChainMessage, followChains } from './follow-chain.ts';

const chainId = 31_337;
const hash = (name: string): `0x${string}` => `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
const object = (logIndex: number) => ({
  kind: 'object' as const,
  transactionHash: hash('tx'),
  logIndex,
  user: `0x${'a'.repeat(40)}` as const,
  setCid: hash('set'),
  objectCid: hash(`object ${logIndex}`),
});
const block = (
  number: number,
  name: string,
  parent: string,
  logs = [object(0)],
  [part, parts] = [1, 1] as readonly [number, number],
): ChainMessage => ({
  type: 'BlockAppended',
  data: { chainId, number, hash: hash(name), parentHash: hash(parent), time: 1_000 + number, part, parts, logs },
});
const reverted = (number: number, name: string, head: number, headName: string): ChainMessage => ({
  type: 'BlocksReverted',
  data: { chainId, ancestor: { number, hash: hash(name) }, revertedHead: { number: head, hash: hash(headName) } },
});
const finalized = (number: number): ChainMessage => ({
  type: 'BlocksFinalized',
  data: { chainId, number, hash: hash('final') },
});
const at = (number: number, name: string, open: ChainCursor['open'] = null, final: number | null = null) =>
  new Map([[chainId, { number, hash: hash(name), open, finalized: final }]]);
const follow = (cursors: ReadonlyMap<number, ChainCursor>, ...messages: ChainMessage[]) =>
  followChains(cursors, messages);

describe('followChains', () => {
  it('begins anywhere, and makes one insert of blocks that follow each other', () => {
    const { cursors, steps } = follow(new Map(), block(7, 'seven', 'six'), block(8, 'eight', 'seven', [object(3)]));
    expect(cursors).toEqual(at(8, 'eight'));
    expect(steps).toEqual([{ kind: 'insert', commitments: [expect.anything(), expect.anything()] }]);
    expect(steps[0]).toMatchObject({
      commitments: [
        { blockNumber: 7, blockHash: hash('seven'), blockTime: 1_007, logIndex: 0, chainId },
        { blockNumber: 8, blockHash: hash('eight'), blockTime: 1_008, logIndex: 3, objectCid: hash('object 3') },
      ],
    });
  });

  it('takes objects only for commitments: neither sets nor grants', () => {
    const { steps } = follow(
      at(1, 'one'),
      block(2, 'two', 'one', [
        { ...object(0), kind: 'set' as 'object' },
        { ...object(1), kind: 'grant' as 'object' },
        { ...object(2), kind: 'revoke' as 'object' },
      ]),
    );
    expect(steps).toEqual([]);
  });

  it('gives an object without a set the zero set CID', () => {
    const { setCid: _, ...without } = object(0);
    const message = block(2, 'two', 'one');
    if (message.type !== 'BlockAppended') throw new Error('not a block');
    const { steps } = follow(at(1, 'one'), { ...message, data: { ...message.data, logs: [without] } });
    expect(steps).toMatchObject([{ commitments: [{ setCid: `0x${'0'.repeat(64)}` }] }]);
  });

  it('counts a block of several parts only when all of them are in', () => {
    const first = follow(at(1, 'one'), block(2, 'two', 'one', [object(0)], [1, 3]), block(2, 'two', 'one', [], [2, 3]));
    expect(first.cursors).toEqual(at(1, 'one', { number: 2, hash: hash('two'), part: 2 }));
    const last = follow(first.cursors, block(2, 'two', 'one', [object(9)], [3, 3]));
    expect(last.cursors).toEqual(at(2, 'two'));
  });

  it('is at the parent while the very first block is not complete', () => {
    const { cursors } = follow(new Map(), block(5, 'five', 'four', [], [1, 2]));
    expect(cursors).toEqual(at(4, 'four', { number: 5, hash: hash('five'), part: 1 }));
  });

  it('keeps inserts before and after a revert apart, in order', () => {
    const { cursors, steps } = follow(
      at(1, 'one'),
      block(2, 'two', 'one'),
      reverted(1, 'one', 2, 'two'),
      block(2, 'other two', 'one'),
      block(3, 'three', 'other two'),
    );
    expect(cursors).toEqual(at(3, 'three'));
    expect(
      steps.map((step) => (step.kind === 'revert' ? `revert above ${step.above}` : step.commitments.length)),
    ).toEqual([1, 'revert above 1', 2]);
  });

  it('forgets the open block that a revert takes', () => {
    const { cursors } = follow(
      at(3, 'three', { number: 4, hash: hash('four'), part: 1 }),
      reverted(2, 'two', 4, 'four'),
    );
    expect(cursors).toEqual(at(2, 'two'));
  });

  it('notes finality, which never goes back but by a revert below it', () => {
    expect(follow(at(9, 'nine'), finalized(5), finalized(4)).cursors).toEqual(at(9, 'nine', null, 5));
    expect(follow(at(9, 'nine', null, 5), reverted(3, 'three', 9, 'nine')).cursors).toEqual(at(3, 'three', null, 3));
    expect(follow(new Map(), finalized(5)).cursors).toEqual(new Map());
  });

  it('follows each chain by its own cursor', () => {
    const other = block(50, 'fifty', 'x');
    if (other.type !== 'BlockAppended') throw new Error('not a block');
    const { cursors } = follow(at(1, 'one'), block(2, 'two', 'one'), { ...other, data: { ...other.data, chainId: 5 } });
    expect([...cursors].map(([chain, cursor]) => [chain, cursor.number])).toEqual([
      [chainId, 2],
      [5, 50],
    ]);
  });

  const open = at(1, 'one', { number: 2, hash: hash('two'), part: 1 });
  const gaps: [string, ReadonlyMap<number, ChainCursor>, ChainMessage, number][] = [
    ['a number too far', at(1, 'one'), block(3, 'three', 'one'), 2],
    ['a first part missing', at(1, 'one'), block(2, 'two', 'one', [], [2, 2]), 2],
    ['a part skipped', open, block(2, 'two', 'one', [], [3, 3]), 2],
    ['the next block before the last part', open, block(3, 'three', 'two'), 2],
    ['finality of a block that is not in', at(1, 'one'), finalized(5), 2],
  ];
  it.each(gaps)('drops %s, and says what is missing: nothing is skipped (I8, I11)', (_name, cursors, message, from) => {
    expect(follow(cursors, message)).toEqual({ cursors: new Map(), steps: [], missing: new Map([[chainId, from]]) });
  });

  const known: [string, ReadonlyMap<number, ChainCursor>, ChainMessage][] = [
    ['a block that is in', at(2, 'two'), block(2, 'two', 'one')],
    ['old history', at(900, 'x'), block(2, 'two', 'one')],
    ['a part twice', open, block(2, 'two', 'one', [], [1, 3])],
    ['a revert above the cursor', at(1, 'one'), reverted(2, 'two', 3, 'three')],
    ['a revert of old history', at(900, 'x'), reverted(2, 'two', 3, 'three')],
    ['a revert before any block', new Map(), reverted(1, 'one', 2, 'two')],
  ];
  it.each(known)('drops %s', (_name, cursors, message) => {
    expect(follow(cursors, message)).toEqual({ cursors: new Map(), steps: [], missing: new Map() });
  });

  it.each<[string, ReadonlyMap<number, ChainCursor>, ChainMessage]>([
    ['another parent', at(9, 'nine', null, 5), block(10, 'ten', 'other nine')],
    ['another block of its height', at(9, 'nine', null, 5), block(9, 'other nine', 'eight')],
    ['a revert to another block of its height', at(9, 'nine', null, 5), reverted(9, 'other nine', 12, 'twelve')],
  ])('goes back to the final block when a revert was lost: %s (I4, I11)', (_name, cursors, message) => {
    const back = follow(cursors, message);
    expect(back.steps).toEqual([{ kind: 'revert', chainId, above: 5 }]);
    expect(back.missing).toEqual(new Map([[chainId, 6]]));
    expect(back.cursors).toEqual(new Map([[chainId, { number: 5, hash: unknownHash, open: null, finalized: 5 }]]));
    const on = follow(back.cursors, block(6, 'six', 'five'), block(7, 'seven', 'six'));
    expect(on).toMatchObject({ cursors: at(7, 'seven', null, 5), missing: new Map() });
  });

  it('fills a gap with what is published again, between live blocks', () => {
    const gap = follow(at(1, 'one'), block(3, 'three', 'two'), block(2, 'two', 'one'), block(4, 'four', 'three'));
    expect(gap).toMatchObject({ cursors: at(2, 'two'), missing: new Map([[chainId, 3]]) });
    const filled = follow(gap.cursors, block(3, 'three', 'two'), block(4, 'four', 'three'), finalized(3));
    expect(filled).toMatchObject({ cursors: at(4, 'four', null, 3), missing: new Map() });
  });
});
