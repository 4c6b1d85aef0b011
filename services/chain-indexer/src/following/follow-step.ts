import { announcesFinality, looksAtFinality } from '../decisions/finality.ts';
import { type Block, chainOn, isChildOf, type Place } from '../decisions/headers.ts';
import { acceptsBehind, nextStep } from '../decisions/next-step.ts';
import { findAncestor } from './find-ancestor.ts';
import type { ChainPort, Cursor, FetchedHeader, StorePort } from './ports.ts';

export type FollowSettings = {
  readonly startBlock: number;
  /** The most blocks read and written at once. */
  readonly window: number;
  /** How long the node may be behind before its word counts. */
  readonly behindGraceMs: number;
  /** By the node's own word, or so many blocks below the head. */
  readonly finality: { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly depth: number };
  readonly finalityStride: number;
};

/** Told what happened, once it is stored. */
export type FollowObserver = {
  appended(blocks: readonly Block[], cursor: Cursor): void;
  reverted(ancestor: Place, from: Cursor, cause: 'fork' | 'node went back' | 'another chain'): void;
  finalized(place: Place): void;
};

export type FollowPorts = { readonly chain: ChainPort; readonly store: StorePort; readonly observer: FollowObserver };

/** What a step came to: `moved`, go on at once; `rest`, wait for a head; `behind`, the node must catch up or be given up. */
export type StepOutcome = { readonly kind: 'moved' | 'rest' | 'behind'; readonly cursor: Cursor };

/**
 * Begins after the block before the first that is read, which no reader has a use for but which the first must be the
 * child of. Undefined while the node has no such block.
 */
export async function beginCursor({ chain, store }: FollowPorts, startBlock: number): Promise<Cursor | undefined> {
  const [anchor] = await chain.headers([startBlock - 1]);
  return anchor === undefined ? undefined : store.begin(anchor);
}

/**
 * Does the next thing there is to do.
 * @param told a head heard of, perhaps long ago: trusted only where it is the cursor or its child
 * @param behindMs for how long the node has been behind
 */
export async function followStep(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  told: FetchedHeader | undefined,
  behindMs: number,
): Promise<StepOutcome> {
  if (told !== undefined && told.hash === cursor.hash) return { kind: 'rest', cursor };
  if (told !== undefined && isChildOf(told, cursor)) return append(ports, settings, cursor, [told]);

  const head = await ports.chain.head();
  const ownAtHead = head.number < cursor.number ? await ports.store.hashAt(head.number) : undefined;
  const step = nextStep(cursor, head, ownAtHead, settings.window);
  switch (step.kind) {
    case 'rest':
      return { kind: 'rest', cursor };
    case 'read':
      return catchUp(ports, settings, cursor, head);
    case 'fork':
      return resolveFork(ports, settings, cursor, head);
    case 'behind': {
      const { number } = head;
      // Our headers there are gone, or the node is below the anchor: only another anchor would tell.
      if (ownAtHead === undefined && number >= cursor.start) return resolveFork(ports, settings, cursor, head);
      if (number < cursor.start || !acceptsBehind(number, cursor.finalized, behindMs, settings.behindGraceMs))
        return { kind: 'behind', cursor };
      const next = await ports.store.replace(cursor, head, []);
      ports.observer.reverted(head, cursor, 'node went back');
      return { kind: 'moved', cursor: next };
    }
  }
}

/** Reads up to a head: while one window is written, the next is fetched. */
async function catchUp(
  ports: FollowPorts,
  settings: FollowSettings,
  from: Cursor,
  head: FetchedHeader,
): Promise<StepOutcome> {
  const fetch = async (first: number): Promise<readonly Block[]> => {
    const numbers = numbersBetween(first, Math.min(head.number, first + settings.window - 1));
    // The head is at hand; near it, nothing else need be asked for.
    const known = first === head.number ? [head] : await ports.chain.headers(numbers);
    return ports.chain.withLogs(chainOn({ number: first - 1, hash: known[0]?.parentHash ?? '0x' }, known));
  };
  let cursor = from;
  let fetching = fetch(cursor.number + 1);
  for (;;) {
    const blocks = chainOn(cursor, await fetching);
    const last = blocks.at(-1);
    // Nothing builds on the cursor: the next step sees the fork, or finds the node's blocks.
    if (last === undefined)
      return cursor === from ? resolveFork(ports, settings, cursor, head) : { kind: 'moved', cursor };
    const more = last.number < head.number;
    if (more) {
      fetching = fetch(last.number + 1);
      // It is awaited only after the writing, which may fail first.
      fetching.catch(() => undefined);
    }
    ({ cursor } = await appendBlocks(ports, settings, cursor, blocks));
    if (!more) return { kind: 'moved', cursor };
  }
}

const append = async (
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  headers: readonly FetchedHeader[],
): Promise<StepOutcome> => appendBlocks(ports, settings, cursor, await ports.chain.withLogs(headers));

async function appendBlocks(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  blocks: readonly Block[],
): Promise<StepOutcome> {
  const next = await ports.store.append(cursor, blocks);
  ports.observer.appended(blocks, next);
  return { kind: 'moved', cursor: await announceFinality(ports, settings, cursor.number, next) };
}

/**
 * Goes back to where the chains part, and forward on the node's. Readers may stand on the anchor only before the first
 * block: so a revert down to it waits until the first block is there again, and both are stored at once.
 */
async function resolveFork(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  head: FetchedHeader,
): Promise<StepOutcome> {
  const found = await findAncestor(ports, cursor, head);
  if (found === undefined) return { kind: 'behind', cursor };
  const { ancestor, anchor } = found;
  // The node has changed its mind meanwhile, or its answers come from several.
  if (ancestor.number === cursor.number && ancestor.hash === cursor.hash) return { kind: 'rest', cursor };
  const numbers = numbersBetween(ancestor.number + 1, Math.min(head.number, ancestor.number + settings.window));
  const headers = numbers.length === 0 ? [] : await ports.chain.headers(numbers);
  const blocks = await ports.chain.withLogs(chainOn(ancestor, headers));
  if (blocks.length === 0 && ancestor.number < cursor.start) return { kind: 'behind', cursor };
  const next = await ports.store.replace(cursor, ancestor, blocks, anchor);
  ports.observer.reverted(ancestor, cursor, anchor === undefined ? 'fork' : 'another chain');
  if (blocks.length > 0) ports.observer.appended(blocks, next);
  return { kind: 'moved', cursor: next };
}

async function announceFinality(
  ports: FollowPorts,
  settings: FollowSettings,
  before: number,
  cursor: Cursor,
): Promise<Cursor> {
  const { finalityStride: stride } = settings;
  if (!looksAtFinality(before, cursor.number, cursor.finalized, cursor.firstActive, stride)) return cursor;
  const word = settings.finality.kind === 'tag' ? await ports.chain.finalized() : undefined;
  const number = settings.finality.kind === 'tag' ? word?.number : cursor.number - settings.finality.depth;
  if (number === undefined || number > cursor.number) return cursor;
  if (!announcesFinality(number, cursor.finalized, cursor.firstActive, stride)) return cursor;
  const hash = await ports.store.hashAt(number);
  // Final by the node's word and not ours: a fork, which the next step sees.
  if (hash === undefined || (word !== undefined && word.hash !== hash)) return cursor;
  const next = await ports.store.finalize(cursor, { number, hash });
  ports.observer.finalized({ number, hash });
  return next;
}

const numbersBetween = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
