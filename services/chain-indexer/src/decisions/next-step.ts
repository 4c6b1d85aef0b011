import type { Hex } from '@indelible/identifiers';
import type { Header, Place } from './headers.ts';

/** The next action, from the last block read and the node's head. */
export type NextStep =
  /** The head was read. */
  | { readonly kind: 'rest' }
  /** Blocks wait; that they build on the cursor is seen when they are there. */
  | { readonly kind: 'read'; readonly from: number; readonly to: number }
  /** The cursor's block is not on the node's chain. */
  | { readonly kind: 'fork' }
  /** The head is an earlier block of our chain: the node lags, or it went back and may fork from here. */
  | { readonly kind: 'behind' };

/**
 * @param ownAtHead our hash at the head's number; undefined without one
 * @param window the most blocks to read at once
 */
export function nextStep(cursor: Place, head: Header, ownAtHead: Hex | undefined, window: number): NextStep {
  if (head.number > cursor.number) {
    if (head.number === cursor.number + 1 && head.parentHash !== cursor.hash) return { kind: 'fork' };
    return { kind: 'read', from: cursor.number + 1, to: Math.min(head.number, cursor.number + window) };
  }
  if (head.number === cursor.number) return { kind: head.hash === cursor.hash ? 'rest' : 'fork' };
  return { kind: ownAtHead === undefined || ownAtHead === head.hash ? 'behind' : 'fork' };
}

/**
 * Whether blocks that a node no longer has count as reverted when it stays behind: only after a while (it may just
 * lag), and never final blocks.
 */
export const acceptsBehind = (head: number, finalized: number, behindMs: number, graceMs: number): boolean =>
  head >= finalized && behindMs >= graceMs;
