import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blockAppended, blocksMarked, blocksReverted, type ChainMessage } from '../decisions/chain-messages.ts';
import type { Block, Header, Place } from '../decisions/headers.ts';
import type { FollowSettings } from './follow-ports.ts';
import { beginCursor, followStep } from './follow-step.ts';
import {
  type ChainPort,
  type Cursor,
  CursorMovedError,
  type FetchedHeader,
  type StoredCursor,
  type StorePort,
} from './ports.ts';

const chainId = 1;
const fullBloom: Hex = `0x${'f'.repeat(512)}`;
let made = 0;
/** A block unlike any other; some have a log. */
const child = (parent: Place): FetchedHeader => {
  made++;
  const hash: Hex = `0x${made.toString(16).padStart(64, '0')}`;
  return { number: parent.number + 1, hash, parentHash: parent.hash, time: made, logsBloom: fullBloom };
};
const log = (hash: Hex): Block['logs'] =>
  Number(hash) % 3 === 0 ? [{ kind: 'object', transactionHash: hash, logIndex: 0, user: `0x${'11'.repeat(20)}` }] : [];

/** A node whose chain can grow, fork, go back and restart. */
function createNode() {
  const genesis = (): FetchedHeader => ({ ...child({ number: -1, hash: `0x${'0'.repeat(64)}` }), number: 0 });
  let chain = [genesis()];
  const grow = (count: number): void => {
    for (let i = 0; i < count; i++) chain.push(child(chain.at(-1) as Place));
  };
  const goBack = (depth: number): void => {
    chain = chain.slice(0, Math.max(1, chain.length - depth));
  };
  const port: ChainPort = {
    head: async () => chain.at(-1) as FetchedHeader,
    headers: async (numbers) => numbers.map((number) => chain[number]).filter((header) => header !== undefined),
    withLogs: async (headers) => headers.map(({ logsBloom: _, ...header }) => ({ ...header, logs: log(header.hash) })),
    marked: async (tag) => chain[Math.max(0, chain.length - 1 - (tag === 'safe' ? 3 : 6))],
  };
  let left = chain;
  return {
    port,
    /** Goes back to the chain before the last fork, plus a block. */
    comeBack: () => {
      [chain, left] = [[...left], chain];
      grow(1);
    },
    grow,
    goBack,
    fork: (depth: number, growth: number) => {
      left = chain;
      goBack(depth);
      grow(growth);
    },
    restartAnew: (length: number) => {
      chain = [genesis()];
      grow(length);
    },
    chain: () => chain as readonly FetchedHeader[],
  };
}

/** The Postgres state, in memory: headers and published messages change together. */
function createMemoryStore() {
  const kept = 8;
  let headers: Header[] = [];
  let cursor: Cursor | undefined;
  const published: ChainMessage[] = [];
  const move = (from: Cursor, to: Omit<StoredCursor, 'version'>, messages: readonly ChainMessage[]): Cursor => {
    if (cursor?.version !== from.version || cursor.hash !== from.hash) throw new CursorMovedError('moved');
    published.push(...messages);
    const activeAbove = (number: number): number | undefined =>
      headers.find((header) => header.number > number && log(header.hash).length > 0)?.number;
    const activity = { firstActive: activeAbove(to.finalized), firstUnsafe: activeAbove(to.safe) };
    cursor = { ...to, version: from.version + messages.length, ...activity };
    return cursor;
  };
  const store: StorePort = {
    load: async () => cursor,
    begin: async (anchor) => {
      headers = [anchor];
      const { number, hash } = anchor;
      const marks = { finalized: number, safe: number, firstActive: undefined, firstUnsafe: undefined };
      cursor = { start: number + 1, number, hash, version: 0, reorgs: 0, ...marks };
      return cursor;
    },
    hashAt: async (number) => headers.find((header) => header.number === number)?.hash,
    placesBelow: async (number, limit) =>
      headers
        .filter((header) => header.number <= number)
        .sort((a, b) => b.number - a.number)
        .slice(0, limit),
    append: async (from, blocks) => {
      headers.push(...blocks);
      const { number, hash } = blocks.at(-1) as Block;
      return move(
        from,
        { ...from, number, hash },
        blocks.flatMap((block) => blockAppended(chainId, from, block)),
      );
    },
    replace: async (from, ancestor, blocks, anchor) => {
      headers = headers.filter(({ number }) =>
        anchor === undefined ? number <= ancestor.number : number < anchor.number,
      );
      headers.push(...(anchor === undefined ? [] : [anchor]), ...blocks);
      const reorgs = from.reorgs + 1;
      const { number, hash } = blocks.at(-1) ?? ancestor;
      const finalized = Math.min(from.finalized, ancestor.number);
      const safe = Math.min(from.safe, ancestor.number);
      return move(from, { ...from, reorgs, number, hash, finalized, safe }, [
        ...(from.version > 0 ? [blocksReverted(chainId, reorgs, ancestor, from)] : []),
        ...blocks.flatMap((block) => blockAppended(chainId, { reorgs }, block)),
      ]);
    },
    mark: async (from, mark, place) => {
      const finalized = mark === 'finalized' ? place.number : from.finalized;
      const safe = Math.max(from.safe, place.number);
      const to = move(from, { ...from, finalized, safe }, [blocksMarked(chainId, from, mark, place)]);
      headers = headers.filter(({ number }) => number < from.start || number >= finalized - kept);
      return to;
    },
    run: async () => undefined,
    republish: async (from) => from,
    unpublished: async () => ({ messages: 0, bytes: 0 }),
  };
  return { store, published };
}

/** A reader that accepts only what follows, like stamping and verification. */
function read(messages: readonly ChainMessage[]): readonly Hex[] {
  const seen = new Set<string>();
  let blocks: Place[] = [];
  let at: Place | undefined;
  for (const message of messages) {
    if (seen.has(message.id)) throw new Error('a fact was published twice');
    seen.add(message.id);
    if (message.contract.type === 'BlockAppended') {
      const data = message.data as ReturnType<typeof blockAppended>[number]['data'] & Header;
      if (at !== undefined && (data.number !== at.number + 1 || data.parentHash !== at.hash))
        throw new Error(`block ${data.number} does not follow ${at.number}`);
      at = data;
      blocks.push(data);
    } else if (message.contract.type === 'BlocksReverted') {
      const { ancestor, revertedHead } = message.data as { ancestor: Place; revertedHead: Place };
      if (at === undefined || revertedHead.hash !== at.hash || ancestor.number >= at.number)
        throw new Error('a revert of what was not read');
      at = ancestor;
      blocks = blocks.filter(({ number }) => number <= ancestor.number);
    }
  }
  return blocks.map(({ hash }) => hash);
}

const settings: FollowSettings = {
  startBlock: 1,
  window: 4,
  maxUnpublished: 1_000,
  behindGraceMs: 1_000,
  finality: { kind: 'tag' },
  finalityStride: 3,
  safe: true,
  belowFinality: 'follow',
};
const ignore = (): undefined => undefined;
const observer = { appended: ignore, republished: ignore, reverted: ignore, marked: ignore, halted: ignore };

/** Steps until there is nothing to do; a node that is behind is given up after its grace. */
async function follow(
  node: ReturnType<typeof createNode>,
  store: StorePort,
  announced?: FetchedHeader,
): Promise<Cursor | undefined> {
  const ports = { chain: node.port, store, observer };
  let cursor = (await store.load()) ?? (await beginCursor(ports, settings.startBlock));
  for (let steps = 0, behindMs = 0; cursor !== undefined; steps++) {
    if (steps > 500) throw new Error('it never comes to rest');
    const outcome = await followStep(ports, settings, cursor, announced, behindMs);
    cursor = outcome.cursor;
    if (outcome.kind === 'rest' || (outcome.kind === 'behind' && behindMs > 0)) return cursor;
    behindMs = outcome.kind === 'behind' ? settings.behindGraceMs : 0;
  }
  return undefined;
}

const hashes = (blocks: readonly Place[]): readonly Hex[] => blocks.map(({ hash }) => hash);

describe('following a chain', () => {
  it('publishes each block once, in order, from the first that is read', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(11);
    await follow(node, store);
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
    const count = published.length;
    await follow(node, store);
    expect(published).toHaveLength(count);
  });
  it.each([1, 2, 3, 5, 6])('reverts and reads on when the last %i blocks are replaced (I4)', async (depth) => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(12);
    await follow(node, store);
    const ancestor = node.chain()[12 - depth];
    for (const growth of [depth, depth + 1]) {
      node.fork(growth, growth + 1);
      await follow(node, store);
      expect(read(published)).toEqual(hashes(node.chain().slice(1)));
    }
    expect(published.find(({ contract }) => contract.type === 'BlocksReverted')?.data).toMatchObject({
      ancestor: { number: ancestor?.number, hash: ancestor?.hash },
      revertedHead: { number: 12 },
    });
  });
  it('publishes blocks that come back after a reorg under new ids, so that no inbox drops them (I4, I5)', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(8);
    await follow(node, store);
    node.fork(3, 4);
    await follow(node, store);
    node.comeBack();
    await follow(node, store);
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
  });
  it('sees a fork at once when a lower or an equal head is not ours', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(8);
    await follow(node, store);
    node.fork(3, 3);
    await follow(node, store);
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
    node.fork(4, 2);
    await follow(node, store);
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
  });
  it('waits for a node that is behind, and then goes back with it', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(8);
    const cursor = (await follow(node, store)) as Cursor;
    node.goBack(2);
    const ports = { chain: node.port, store, observer };
    expect(await followStep(ports, settings, cursor, undefined, settings.behindGraceMs - 1)).toEqual({
      kind: 'behind',
      cursor,
    });
    await followStep(ports, settings, cursor, undefined, settings.behindGraceMs);
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
  });
  it('does not go back with a node that no longer has final blocks', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(20);
    const cursor = (await follow(node, store)) as Cursor;
    expect(cursor.finalized).toBeGreaterThan(5);
    node.goBack(16);
    const count = published.length;
    await follow(node, store);
    expect(published).toHaveLength(count);
  });
  it('reverts everything when the node is of another chain, as soon as that has a block to go on with', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(30);
    await follow(node, store);
    node.restartAnew(0);
    const count = published.length;
    await follow(node, store);
    expect(published).toHaveLength(count);
    node.grow(2);
    await follow(node, store);
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
    expect(published[count]?.data).toMatchObject({ ancestor: { number: 0, hash: node.chain()[0]?.hash } });
  });
  it('takes another anchor without a message while nothing was published', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    await follow(node, store);
    node.restartAnew(2);
    await follow(node, store);
    expect(published.map(({ contract }) => contract.type)).not.toContain('BlocksReverted');
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
  });
  it('takes an announced head without a request where it is the child of the cursor, and trusts no other', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(3);
    const cursor = (await follow(node, store)) as Cursor;
    node.grow(1);
    const head = node.chain()[4] as FetchedHeader;
    const deaf: ChainPort = { ...node.port, head: () => Promise.reject(new Error('asked')) };
    const ports = { chain: deaf, store, observer };
    const after = (await followStep(ports, settings, cursor, head, 0)).cursor;
    expect(after).toMatchObject({ number: 4, hash: head.hash });
    expect(await followStep(ports, settings, after, head, 0)).toEqual({ kind: 'rest', cursor: after });
    await expect(followStep(ports, settings, after, node.chain()[2], 0)).rejects.toThrow('asked');
    expect(read(published)).toEqual(hashes(node.chain().slice(1)));
  });
  it('writes nothing once another has written: a leader that was cut off cannot publish twice', async () => {
    const node = createNode();
    const { store, published } = createMemoryStore();
    node.grow(3);
    const stale = (await follow(node, store)) as Cursor;
    node.grow(1);
    await follow(node, store);
    const count = published.length;
    const [block] = await node.port.withLogs([node.chain()[4] as FetchedHeader]);
    await expect(store.append(stale, [block as Block])).rejects.toBeInstanceOf(CursorMovedError);
    expect(published).toHaveLength(count);
  });
  it('publishes the canonical chain whatever the node does, each fact once (I4, I5)', async () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('grow' as const), count: fc.integer({ min: 1, max: 9 }) }),
      fc.record({
        kind: fc.constant('fork' as const),
        count: fc.integer({ min: 1, max: 7 }),
        growth: fc.integer({ min: 0, max: 9 }),
      }),
      fc.record({ kind: fc.constant('restart' as const), count: fc.integer({ min: 0, max: 12 }) }),
      fc.record({ kind: fc.constant('come back' as const), count: fc.constant(0) }),
      fc.record({ kind: fc.constant('announced' as const), count: fc.nat({ max: 9 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        const node = createNode();
        const { store, published } = createMemoryStore();
        const everSeen = [...node.chain()];
        for (const { kind, count, ...more } of acts) {
          if (kind === 'grow') node.grow(count);
          else if (kind === 'fork') node.fork(count, 'growth' in more ? more.growth : 0);
          else if (kind === 'come back') node.comeBack();
          else if (kind === 'restart') node.restartAnew(count);
          everSeen.push(...node.chain());
          await follow(node, store, kind === 'announced' ? everSeen[(count * 7) % everSeen.length] : undefined);
          read(published);
        }
        // In any state, it follows once the chain grows beyond what was read.
        node.grow(60);
        await follow(node, store);
        expect(read(published)).toEqual(hashes(node.chain().slice(1)));
      }),
      { numRuns: 300 },
    );
  });
});
