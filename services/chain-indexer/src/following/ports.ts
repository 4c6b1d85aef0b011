import type { ReadHeader } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import type { Block, Header, Place } from '../decisions/headers.ts';
import type { Run } from './republish-queries.ts';

/** A header with what its logs are checked by; one that a subscription brought lacks the transactions and the gas. */
export type FetchedHeader = Header & Omit<ReadHeader, 'timestamp'>;

/** How sure it is that a block stays: `safe` comes before `finalized`. */
export type Mark = 'safe' | 'finalized';

/** The node. Its faults are errors worth a retry. */
export interface ChainPort {
  head(): Promise<FetchedHeader>;
  /** Of the requested numbers, those the node has, in that order. */
  headers(numbers: readonly number[]): Promise<readonly FetchedHeader[]>;
  /** The blocks with every log the contract made in them: from the first on, as many as are read at once, one at least. */
  withLogs(headers: readonly FetchedHeader[]): Promise<readonly Block[]>;
  /** The highest block that the node marks so; undefined on a chain that has no such tag. */
  marked(tag: Mark): Promise<Place | undefined>;
}

/** How far the chain was read and published. */
export type Cursor = Place & {
  /** The first block that is read; the one before it is the anchor, of which only the header is kept. */
  readonly start: number;
  /** How many messages were published: the version of their stream. */
  readonly version: number;
  readonly reorgs: number;
  /** The highest block announced as final. */
  readonly finalized: number;
  /** The lowest block with logs above that. */
  readonly firstActive: number | undefined;
  /** The highest block announced as safe, or as final; moved by the latter alone where safe blocks are not followed. */
  readonly safe: number;
  /** The lowest block with logs above that. */
  readonly firstUnsafe: number | undefined;
};

/** What is stored of a cursor; the rest follows from the headers. */
export type StoredCursor = Omit<Cursor, 'firstActive' | 'firstUnsafe'>;

/** What is stored and not published yet. */
export type Unpublished = { readonly messages: number; readonly bytes: number };

/** Ours of the chain, and what is published of it, always together. */
export interface StorePort {
  load(): Promise<Cursor | undefined>;
  /** Begins after the anchor. */
  begin(anchor: Header): Promise<Cursor>;
  /** The kept header's hash at a number. */
  hashAt(number: number): Promise<Hex | undefined>;
  /** Kept headers at or below a number, highest first; the anchor is the last of all. */
  placesBelow(number: number, limit: number): Promise<readonly Place[]>;
  /** @throws CursorMovedError when another wrote meanwhile */
  append(cursor: Cursor, blocks: readonly Block[]): Promise<Cursor>;
  /**
   * Reverts to an ancestor and appends what follows it.
   * @param anchor takes the anchor's place, and all above it is removed: the ancestor is this
   * @throws CursorMovedError when another wrote meanwhile
   */
  replace(cursor: Cursor, ancestor: Place, blocks: readonly Block[], anchor?: Header): Promise<Cursor>;
  /** @throws CursorMovedError when another wrote meanwhile */
  mark(cursor: Cursor, mark: Mark, place: Place): Promise<Cursor>;
  /** The run that publishes blocks again, if there is one. */
  run(): Promise<Run | undefined>;
  /**
   * Publishes blocks again and moves the run; at its end the marks as well. The place of the cursor stays.
   * @throws CursorMovedError when another wrote meanwhile, or the run has changed
   */
  republish(
    cursor: Cursor,
    run: Run,
    blocks: readonly Block[],
    to: { readonly next: number; readonly done: boolean },
  ): Promise<Cursor>;
  /** Exact as long as it is little. */
  unpublished(): Promise<Unpublished>;
}

/** Another indexer has written: this one has lost the lead, or an outcome that it does not know of was written after all. */
export class CursorMovedError extends Error {
  override readonly name = 'CursorMovedError';
  readonly retryable = true;
}
