import { chainOn, isChildOf } from '@indelible/ethereum';
import { failpoint } from '@indelible/service-runtime';
import type { Block } from '../decisions/headers.ts';
import { acceptsBehind, nextStep } from '../decisions/next-step.ts';
import { announceMarks } from './announce-marks.ts';
import { findAncestor } from './find-ancestor.ts';
import type { FollowPorts, FollowSettings } from './follow-ports.ts';
import type { Cursor, FetchedHeader } from './ports.ts';

/**
 * The outcome of a step: `moved`, continue at once; `rest`, wait for a head; `behind`, the node must catch up or be
 * given up; `unclear`, its responses are inconsistent: read again soon; `full`, too much waits to be published;
 * `halted`, it wants final blocks reverted, which only an operator can decide.
 */
export type StepOutcome = {
  readonly kind: 'moved' | 'rest' | 'behind' | 'unclear' | 'full' | 'halted';
  readonly cursor: Cursor;
};

/** Limit of unpublished bytes with full blocks: the relay may read them all at once. */
export const mostBytesUnpublished = 32 * 1024 * 1024;

/**
 * Starts after the block before the first one to read: readers do not need it, but the first block must be its child.
 * Undefined while the node lacks that block.
 */
export async function beginCursor({ chain, store }: FollowPorts, startBlock: number): Promise<Cursor | undefined> {
  const [anchor] = await chain.headers([startBlock - 1]);
  return anchor === undefined ? undefined : store.begin(anchor);
}

/**
 * Performs the next action.
 * @param announced a head announced perhaps long ago: trusted only if it is the cursor or its child
 * @param behindMs how long the node has been behind
 */
export async function followStep(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  announced: FetchedHeader | undefined,
  behindMs: number,
): Promise<StepOutcome> {
  if (announced !== undefined && announced.hash === cursor.hash) return { kind: 'rest', cursor };
  if (announced !== undefined && isChildOf(announced, cursor) && hasFilter(announced))
    return appendAnnounced(ports, settings, cursor, announced);

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
      // The node lacks our blocks there, or is below the anchor: only a new anchor would help.
      if (ownAtHead === undefined && number >= cursor.start) return resolveFork(ports, settings, cursor, head);
      if (number < cursor.start || !acceptsBehind(number, cursor.finalized, behindMs, settings.behindGraceMs))
        return { kind: 'behind', cursor };
      const next = await ports.store.replace(cursor, head, []);
      ports.observer.reverted(head, cursor, 'node went back');
      return { kind: 'moved', cursor: next };
    }
  }
}

/** A subscription may omit a head's filter, which would rule out the block's logs: the node returns the full header. */
const hasFilter = ({ logsBloom, gasUsed }: FetchedHeader): boolean =>
  gasUsed !== undefined || /[1-9a-f]/.test(logsBloom.slice(2));

/** Reads up to a head; fetches the next window while one is written. */
async function catchUp(
  ports: FollowPorts,
  settings: FollowSettings,
  from: Cursor,
  head: FetchedHeader,
): Promise<StepOutcome> {
  let window = settings.window;
  const fetch = async (first: number): Promise<readonly Block[]> => {
    const numbers = numbersBetween(first, Math.min(head.number, first + window - 1));
    // The head is read already; near it, nothing else need be.
    const known = first === head.number ? [head] : await ports.chain.headers(numbers);
    const chain = chainOn({ number: first - 1, hash: known[0]?.parentHash ?? '0x' }, known);
    const blocks = await ports.chain.withLogs(chain);
    // If a read returns only a few blocks, headers of more would be read again and again.
    const next = blocks.length < chain.length ? Math.max(4, 2 * blocks.length) : 2 * window;
    window = Math.min(settings.window, next);
    return blocks;
  };
  let cursor = from;
  if (await isFull(ports, settings)) return { kind: 'full', cursor };
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
      // Awaited only after the write, which may fail first.
      fetching.catch(() => undefined);
    }
    cursor = await appendBlocks(ports, settings, cursor, blocks, more);
    if (!more) return { kind: 'moved', cursor };
    if (await isFull(ports, settings)) return { kind: 'full', cursor };
  }
}

/** Appends one more block. Large ones are many messages, so the unpublished are counted before each. */
async function appendAnnounced(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  announced: FetchedHeader,
): Promise<StepOutcome> {
  if (await isFull(ports, settings)) return { kind: 'full', cursor };
  const blocks = await ports.chain.withLogs([announced]);
  return { kind: 'moved', cursor: await appendBlocks(ports, settings, cursor, blocks, false) };
}

/** Whether too much is unpublished to read more. */
async function isFull({ store }: FollowPorts, { maxUnpublished }: FollowSettings): Promise<boolean> {
  const { messages, bytes } = await store.unpublished();
  return messages >= maxUnpublished || bytes >= mostBytesUnpublished;
}

async function appendBlocks(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  blocks: readonly Block[],
  catchingUp: boolean,
): Promise<Cursor> {
  const next = await ports.store.append(cursor, blocks);
  failpoint('chain-indexer.block-stored');
  ports.observer.appended(blocks, next);
  return announceMarks(ports, settings, cursor.number, next, catchingUp);
}

/**
 * Goes back to where the chains fork, and forward on the node's. Readers may be at the anchor only before the first
 * block: so a revert to it waits until the first block exists again, and both are stored together.
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
  // The node has changed its mind, or several nodes responded.
  if (ancestor.number === cursor.number && ancestor.hash === cursor.hash) return { kind: 'unclear', cursor };
  if (ancestor.number < cursor.finalized && settings.belowFinality === 'halt') {
    ports.observer.halted(ancestor, cursor);
    return { kind: 'halted', cursor };
  }
  const numbers = numbersBetween(ancestor.number + 1, Math.min(head.number, ancestor.number + settings.window));
  const headers = numbers.length === 0 ? [] : await ports.chain.headers(numbers);
  const blocks = await ports.chain.withLogs(chainOn(ancestor, headers));
  if (blocks.length === 0 && ancestor.number < cursor.start) return { kind: 'behind', cursor };
  const next = await ports.store.replace(cursor, ancestor, blocks, anchor);
  ports.observer.reverted(ancestor, cursor, anchor === undefined ? 'fork' : 'another chain');
  if (blocks.length > 0) ports.observer.appended(blocks, next);
  return { kind: 'moved', cursor: next };
}

const numbersBetween = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
