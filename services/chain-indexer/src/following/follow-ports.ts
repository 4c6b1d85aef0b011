import type { Block, Place } from '../decisions/headers.ts';
import type { ChainPort, Cursor, Mark, StorePort } from './ports.ts';

export type FollowSettings = {
  readonly startBlock: number;
  /** The most blocks read and written at once. */
  readonly window: number;
  /** Unpublished messages above which nothing more is read. */
  readonly maxUnpublished: number;
  /** How long the node may be behind before the blocks it lacks count as reverted. */
  readonly behindGraceMs: number;
  /** By the node's tag, or so many blocks below the head. */
  readonly finality: { readonly kind: 'tag' } | { readonly kind: 'depth'; readonly depth: number };
  readonly finalityStride: number;
  /** Whether the node's safe block is also announced. */
  readonly safe: boolean;
  /** What to do when the node's chain forks from ours below a final block. */
  readonly belowFinality: 'follow' | 'halt';
};

/** Notified after changes are stored, and of refusals. */
export type FollowObserver = {
  appended(blocks: readonly Block[], cursor: Cursor): void;
  reverted(ancestor: Place, from: Cursor, cause: 'fork' | 'node went back' | 'another chain'): void;
  /** Blocks were republished; `done`: up to the cursor. */
  republished(blocks: readonly Block[], done: boolean): void;
  marked(mark: Mark, place: Place, cursor: Cursor): void;
  halted(ancestor: Place, cursor: Cursor): void;
};

export type FollowPorts = { readonly chain: ChainPort; readonly store: StorePort; readonly observer: FollowObserver };
