import { chainOn } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { blockAppended, blocksMarked, blocksReverted, logsPerPart } from './chain-messages.ts';
import { commonAncestor } from './common-ancestor.ts';
import { announcesFinality, looksAtFinality } from './finality.ts';
import type { Block } from './headers.ts';
import { acceptsBehind, nextStep } from './next-step.ts';

/** Block `number` of a fork; a fork differs from the main chain (fork 0) where their hashes do. */
const hash = (number: number, fork = 0): Hex => `0x${fork.toString(16)}${number.toString(16).padStart(63, '0')}`;
const block = (number: number, fork = 0, parentFork = fork): Block => ({
  number,
  hash: hash(number, fork),
  parentHash: hash(number - 1, parentFork),
  time: number,
  logs: [],
});
const cursor = { number: 10, hash: hash(10) };

describe('the next step', () => {
  it('is rest when the head is the cursor', () => {
    expect(nextStep(cursor, block(10), undefined, 16)).toEqual({ kind: 'rest' });
  });
  it('is to read what waits, a window at a time', () => {
    expect(nextStep(cursor, block(11), undefined, 16)).toEqual({ kind: 'read', from: 11, to: 11 });
    expect(nextStep(cursor, block(100), undefined, 16)).toEqual({ kind: 'read', from: 11, to: 26 });
  });
  it('is a fork when the head has the number of the cursor, or another parent', () => {
    expect(nextStep(cursor, block(10, 1), undefined, 16)).toEqual({ kind: 'fork' });
    expect(nextStep(cursor, block(11, 1), undefined, 16)).toEqual({ kind: 'fork' });
  });
  it('is a fork when a lower head is not ours (the chain went back and took another way)', () => {
    expect(nextStep(cursor, block(7, 1), hash(7), 16)).toEqual({ kind: 'fork' });
  });
  it('is to look closer when a lower head is ours, or where we keep no header', () => {
    expect(nextStep(cursor, block(7), hash(7), 16)).toEqual({ kind: 'behind' });
    expect(nextStep(cursor, block(7), undefined, 16)).toEqual({ kind: 'behind' });
  });
  it('counts blocks as reverted when a node stays behind for a while, never final blocks', () => {
    expect(acceptsBehind(7, 5, 29_999, 30_000)).toBe(false);
    expect(acceptsBehind(7, 5, 30_000, 30_000)).toBe(true);
    expect(acceptsBehind(4, 5, 99_999, 30_000)).toBe(false);
  });
});

describe('blocks on a place', () => {
  it('count as far as each is the child of the one before', () => {
    const good = [block(11), block(12)];
    expect(chainOn(cursor, good)).toEqual(good);
    expect(chainOn(cursor, [...good, block(13, 1), block(14, 1)])).toEqual(good);
    expect(chainOn(cursor, [block(11, 1), block(12, 1)])).toEqual([]);
    expect(chainOn(cursor, [block(12)])).toEqual([]);
    expect(chainOn(cursor, [])).toEqual([]);
  });
});

describe('the common ancestor', () => {
  const own = [10, 9, 8, 7].map((number) => ({ number, hash: hash(number) }));
  it('is the highest block both have', () => {
    const theirs = new Map([
      [10, hash(10, 1)],
      [9, hash(9, 1)],
      [8, hash(8)],
      [7, hash(7)],
    ]);
    expect(commonAncestor(own, theirs)).toEqual({ number: 8, hash: hash(8) });
    expect(commonAncestor(own.toReversed(), theirs)).toEqual({ number: 8, hash: hash(8) });
  });
  it('is none when all differ; what is missing counts neither way', () => {
    expect(commonAncestor(own, new Map([[9, hash(9, 1)]]))).toBeUndefined();
    expect(commonAncestor(own, new Map())).toBeUndefined();
    expect(commonAncestor(own, new Map([[8, hash(8)]]))).toEqual({ number: 8, hash: hash(8) });
  });
});

describe('finality', () => {
  it('is announced at once when a block with logs becomes final', () => {
    expect(announcesFinality(10, 9, 10, 32)).toBe(true);
    expect(announcesFinality(10, 9, 11, 32)).toBe(false);
  });
  it('is announced in strides when nothing is logged, so that it never lags for ever', () => {
    expect(announcesFinality(41, 10, undefined, 32)).toBe(false);
    expect(announcesFinality(42, 10, undefined, 32)).toBe(true);
  });
  it('is not announced twice, nor goes back', () => {
    expect(announcesFinality(10, 10, 5, 32)).toBe(false);
    expect(announcesFinality(9, 10, 5, 1)).toBe(false);
  });
  it('is looked at while a block with logs is not final, else once a stride, however the head leaps', () => {
    expect(looksAtFinality(49, 50, 10, 45, 32)).toBe(true);
    expect(looksAtFinality(49, 50, 10, undefined, 32)).toBe(false);
    expect(looksAtFinality(73, 74, 10, undefined, 32)).toBe(true);
    expect(looksAtFinality(70, 86, 10, undefined, 32)).toBe(true);
    expect(looksAtFinality(74, 75, 10, undefined, 32)).toBe(false);
  });
});

describe('messages of the chain', () => {
  const log = { kind: 'object', transactionHash: hash(1), logIndex: 0, user: `0x${'11'.repeat(20)}` } as const;
  /** A block of transactions with so many logs each. */
  const withLogs = (...counts: number[]): Block => ({
    ...block(10),
    logs: counts
      .flatMap((count, transaction) => Array.from({ length: count }, () => hash(transaction)))
      .map((transactionHash, logIndex) => ({ ...log, transactionHash, logIndex })),
  });
  const parts = (...counts: number[]) =>
    blockAppended(1, { reorgs: 0 }, withLogs(...counts)).map(
      ({ data }) => data as { part: number; parts: number; logs: unknown[] },
    );
  const { some, most } = logsPerPart;

  it('have an empty block in one message, since readers wait for its number', () => {
    expect(parts(0)).toMatchObject([{ part: 1, parts: 1, logs: [] }]);
  });
  it('have a large block in numbered parts that hold each log once, in order', () => {
    expect(parts(most)).toHaveLength(1);
    const large = parts(2 * most + 1);
    expect(large.map(({ part, parts: of, logs }) => [part, of, logs.length])).toEqual([
      [1, 3, most],
      [2, 3, most],
      [3, 3, 1],
    ]);
    expect(large.flatMap(({ logs }) => logs)).toEqual(withLogs(2 * most + 1).logs);
  });
  it('end a part with a transaction once it has some logs', () => {
    expect(parts(some - 1, 5, 3, some, 2).map(({ logs }) => logs.length)).toEqual([some + 4, some + 3, 2]);
    expect(parts(some, most, 1).map(({ logs }) => logs.length)).toEqual([some, most, 1]);
    expect(parts(some - 1, 1)).toHaveLength(1);
  });
  it('have ids that follow from the fact, and differ for another fact (I5)', () => {
    const ids = [
      ...blockAppended(1, { reorgs: 0 }, withLogs(most + 1)),
      ...blockAppended(2, { reorgs: 0 }, block(10)),
      ...blockAppended(1, { reorgs: 0 }, block(10, 1)),
      blocksMarked(1, { reorgs: 0 }, 'finalized', block(10)),
      blocksMarked(1, { reorgs: 0 }, 'safe', block(10)),
      blocksReverted(1, 1, block(9), block(10)),
      blocksReverted(1, 2, block(9), block(10)),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(blockAppended(1, { reorgs: 0 }, withLogs(most + 1)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });
  it('have another id for a block that comes back after a reorg, which no inbox drops (I4)', () => {
    expect(blockAppended(1, { reorgs: 2 }, block(10))[0]?.id).not.toBe(
      blockAppended(1, { reorgs: 0 }, block(10))[0]?.id,
    );
  });
});
