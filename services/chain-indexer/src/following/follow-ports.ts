import type { Block, Place } from '../decisions/headers.ts';
import type { ChainPort, Cursor, Mark, StorePort } from './ports.ts';

export type FollowSettings = {
  readonly startBlock: number;
  /** The most blocks read and written at once. */
  readonly window: number;
  /** Messages that may wait to be published before nothing more is read. */
  readonly maxUnpublished: number;
  /** How long the node may be behind before the blocks that it lacks count as reverted. */
  readonly behindGraceMs: number;
  /** By the node's tag, or so many blocks below the head. */
  readonly finality: { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly depth: number };
  readonly finalityStride: number;
  /** Whether the node's safe block is announced as well. */
  readonly safe: boolean;
  /** What is done when the node's chain parts from ours below a final block. */
  readonly belowFinality: 'follow' | 'halt';
};

/** Notified of what happened, after it is stored, and of what was refused. */
export type FollowObserver = {
  appended(blocks: readonly Block[], cursor: Cursor): void;
  reverted(ancestor: Place, from: Cursor, cause: 'fork' | 'node went back' | 'another chain'): void;
  /** Blocks were published again; `done`: up to the cursor. */
  republished(blocks: readonly Block[], done: boolean): void;
  marked(mark: Mark, place: Place, cursor: Cursor): void;
  halted(ancestor: Place, cursor: Cursor): void;
};

export type FollowPorts = { readonly chain: ChainPort; readonly store: StorePort; readonly observer: FollowObserver };
