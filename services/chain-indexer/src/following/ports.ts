import type { Hex } from '@indelible/identifiers';
import type { Block, Header, Place } from '../decisions/headers.ts';

/** A header with what tells whether the contract can have logged in its block. */
export type FetchedHeader = Header & { readonly logsBloom: Hex };

/** The node. Its faults are errors worth a retry. */
export interface ChainPort {
  head(): Promise<FetchedHeader>;
  /** Of the numbers asked for, those the node has, in that order. */
  headers(numbers: readonly number[]): Promise<readonly FetchedHeader[]>;
  /** Every log the contract made in these blocks; complete, or an error. */
  withLogs(headers: readonly FetchedHeader[]): Promise<readonly Block[]>;
  /** The highest final block by the node's word; undefined on a chain that has no such word. */
  finalized(): Promise<Place | undefined>;
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
};

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
   * @param anchor takes the anchor's place, with all that stood on it gone: the ancestor is this
   * @throws CursorMovedError when another wrote meanwhile
   */
  replace(cursor: Cursor, ancestor: Place, blocks: readonly Block[], anchor?: Header): Promise<Cursor>;
  /** @throws CursorMovedError when another wrote meanwhile */
  finalize(cursor: Cursor, place: Place): Promise<Cursor>;
}

/** Another indexer has written: this one has lost the lead, or an outcome it did not hear of was written after all. */
export class CursorMovedError extends Error {
  override readonly name = 'CursorMovedError';
  readonly retryable = true;
}
