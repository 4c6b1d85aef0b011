import { createFairShare } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import type { Frame } from './frames.ts';
import { createRing, type Ring, readerOf } from './ring.ts';

const all = readerOf({ types: undefined, collections: undefined });
const frame = (position: number, { name = 'stamp.confirmed', set = 'a', size = 10 } = {}): Frame => ({
  position,
  name,
  set,
  bytes: Buffer.from(`${position} `.padEnd(size)),
});
const frames = (from: number, to: number, size = 10): Frame[] =>
  Array.from({ length: to - from + 1 }, (_, at) => frame(from + at, { size }));
/** The positions a reader gets, to the end; undefined when it must read the log. */
function positionsOf(ring: Ring, after: number, reader = all): number[] | undefined {
  const found: number[] = [];
  for (let at = after; ; ) {
    const piece = ring.read(at, reader);
    if (piece === undefined) return undefined;
    found.push(...(piece.bytes?.toString().trim().split(/\s+/).map(Number) ?? []));
    if (piece.next === at) return found;
    at = piece.next;
  }
}

describe('the ring of an account', () => {
  it('has everything behind its start, from any place, without gap or repeat', () => {
    const ring = createRing('a', 3, createFairShare(2 ** 30));
    expect(positionsOf(ring, 3)).toEqual([]);
    ring.append(frames(4, 9), 9);
    ring.append(frames(8, 400, 1_000), 400);
    for (let after = 3; after <= 400; after++)
      expect(positionsOf(ring, after)).toEqual(Array.from({ length: 400 - after }, (_, at) => after + 1 + at));
    expect(positionsOf(ring, 2)).toBeUndefined();
    expect(positionsOf(ring, 500)).toEqual([]);
  });

  it('moves a reader past what its filter excludes', () => {
    const ring = createRing('a', 0, createFairShare(2 ** 30));
    ring.append([frame(1), frame(2, { name: 'file.stored' }), frame(3, { set: 'b' }), frame(4)], 4);
    const filtered = (types?: string[], collections?: string[]) =>
      positionsOf(
        ring,
        0,
        readerOf({ types: types && new Set(types), collections: collections && new Set(collections) }),
      );
    expect(filtered(['file.stored'])).toEqual([2]);
    expect(filtered(undefined, ['b'])).toEqual([3]);
    expect(filtered(['stamp.confirmed'], ['a'])).toEqual([1, 4]);
    expect(filtered(['stamp.failed'])).toEqual([]);
    expect(ring.read(0, readerOf({ types: new Set(['stamp.failed']), collections: undefined }))?.next).toBe(4);
  });

  it('serialises nothing twice: clients with one filter share a piece', () => {
    const ring = createRing('a', 0, createFairShare(2 ** 30));
    ring.append(frames(1, 20), 20);
    const other = readerOf({ types: undefined, collections: undefined });
    expect(ring.read(0, all)?.bytes).toBe(ring.read(0, other)?.bytes);
  });

  it('is bounded by bytes: the oldest go first, and readers that need them are sent to the log', () => {
    const ring = createRing('a', 0, createFairShare(2 ** 30));
    ring.append(frames(1, 100, 100_000), 100);
    const found = positionsOf(ring, 99);
    expect(found).toEqual([100]);
    expect(positionsOf(ring, 50)).toBeUndefined();
  });

  it('is bounded by events', () => {
    const ring = createRing('a', 0, createFairShare(2 ** 30));
    ring.append(frames(1, 20_000), 20_000);
    expect(positionsOf(ring, 10_000)).toBeUndefined();
    expect(positionsOf(ring, 16_000)).toHaveLength(4_000);
  });

  it('is bounded by the memory that accounts share: some remains for other accounts (I12)', () => {
    const memory = createFairShare(10_000);
    const [greedy, modest] = [createRing('greedy', 0, memory), createRing('modest', 0, memory)];
    greedy.append(frames(1, 1_000, 100), 1_000);
    expect(memory.taken()).toBeLessThanOrEqual(5_000);
    modest.append(frames(1, 10, 100), 10);
    expect(positionsOf(modest, 0)).toHaveLength(10);
    greedy.clear();
    modest.clear();
    expect(memory.taken()).toBe(0);
  });

  it('without any memory sends its readers to the log, and continues after it', () => {
    const ring = createRing('a', 0, createFairShare(0));
    ring.append(frames(1, 3), 3);
    expect(positionsOf(ring, 2)).toBeUndefined();
    expect(positionsOf(ring, 3)).toEqual([]);
  });
});
