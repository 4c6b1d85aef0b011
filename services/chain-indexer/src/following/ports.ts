import type { ReadHeader } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Block, Header, Place } from '../decisions/headers.ts';
import type { Run } from './republish-queries.ts';

/** A header with the fields that verify its logs; one from a subscription lacks the transactions and the gas. */
export type FetchedHeader = Header & Omit<ReadHeader, 'timestamp'>;

/** How sure it is that a block stays: `safe` comes before `finalized`. */
export type Mark = 'safe' | 'finalized';

/** The node. Its faults are retryable errors. */
export interface ChainPort {
  head(): Promise<FetchedHeader>;
  /** Headers of those numbers that the node has, in order. */
  headers(numbers: readonly number[]): Promise<readonly FetchedHeader[]>;
  /** The blocks with every log of the contract: from the first on, as many as are read at once, at least one. */
  withLogs(headers: readonly FetchedHeader[]): Promise<readonly Block[]>;
  /** The highest block that the node marks so; undefined on a chain that has no such tag. */
  marked(tag: Mark): Promise<Place | undefined>;
}

/** How far the chain was read and published. */
export type Cursor = Place & {
  /** The first block to read; the one before it is the anchor, of which only the header is stored. */
  readonly start: number;
  /** Number of messages published: their stream's version. */
  readonly version: number;
  readonly reorgs: number;
  /** The highest block announced as final. */
  readonly finalized: number;
  /** The lowest block with logs above that. */
  readonly firstActive: number | undefined;
  /** The highest block announced as safe, or as final; without following safe blocks, final ones alone move it. */
  readonly safe: number;
  /** The lowest block with logs above that. */
  readonly firstUnsafe: number | undefined;
};

/** What is stored of a cursor; the rest follows from the headers. */
export type StoredCursor = Omit<Cursor, 'firstActive' | 'firstUnsafe'>;

/** Stored and not published yet. */
export type Unpublished = { readonly messages: number; readonly bytes: number };

/** Our state of the chain and what is published of it, together. */
export interface StorePort {
  load(): Promise<Cursor | undefined>;
  /** Begins after the anchor. */
  begin(anchor: Header): Promise<Cursor>;
  /** The kept header's hash at a number. */
  hashAt(number: number): Promise<Hex | undefined>;
  /** Stored headers at or below a number, highest first; the anchor is last. */
  placesBelow(number: number, limit: number): Promise<readonly Place[]>;
  /** @throws CursorMovedError when another wrote meanwhile */
  append(cursor: Cursor, blocks: readonly Block[]): Promise<Cursor>;
  /**
   * Reverts to an ancestor and appends what follows it.
   * @param anchor replaces the anchor, and all above it is removed: the ancestor is this
   * @throws CursorMovedError when another wrote meanwhile
   */
  replace(cursor: Cursor, ancestor: Place, blocks: readonly Block[], anchor?: Header): Promise<Cursor>;
  /** @throws CursorMovedError when another wrote meanwhile */
  mark(cursor: Cursor, mark: Mark, place: Place): Promise<Cursor>;
  /** The current run that republishes blocks, if any. */
  run(): Promise<Run | undefined>;
  /**
   * Republishes blocks and moves the run; at its end also the marks. The cursor's position stays.
   * @throws CursorMovedError when another indexer wrote meanwhile, or the run changed
   */
  republish(
    cursor: Cursor,
    run: Run,
    blocks: readonly Block[],
    to: { readonly next: number; readonly done: boolean },
  ): Promise<Cursor>;
  /** Exact while small. */
  unpublished(): Promise<Unpublished>;
}

/** Another indexer has written: this one lost the lead, or an outcome unknown to it was committed after all. */
export class CursorMovedError extends Error {
  override readonly name = 'CursorMovedError';
  readonly retryable = true;
}
