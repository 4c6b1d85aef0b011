import type { FairShare } from '@indelible/service-runtime';
import { type EventFilter, isWanted, keyOfFilter } from '../../decisions/event-filter.ts';
import type { Frame } from './frames.ts';

/** A reader's next frames, as one piece; `next` is the position to continue from. */
export type Piece = { readonly bytes: Buffer | undefined; readonly events: number; readonly next: number };

export type Reader = { readonly filter: EventFilter; readonly key: string };
export const readerOf = (filter: EventFilter): Reader => ({ filter, key: keyOfFilter(filter) });

/** Of one account. */
const maxFrames = 5_000;
const maxBytes = 4 * 2 ** 20;
/** Of a piece, which is sent to a client at once. */
const pieceBytes = 64 * 1024;
/** Cached pieces: few, since only equal filters share a piece. */
const maxPieces = 4;

/**
 * The newest events of an account's log, for its clients at the head. Bounded by events, bytes, and the account's share of the memory for all
 * rings; the oldest go first. A client that has not read them yet reads the log.
 * @param start the position after which the ring has everything
 */
export function createRing(account: string, start: number, memory: FairShare) {
  let frames: Frame[] = [];
  let from = start;
  let end = start;
  let bytes = 0;
  /** Clients with the same filter are at the same place: they share a piece. */
  const pieces = new Map<string, Piece>();

  function dropOldest(count: number): void {
    const dropped = frames.slice(0, count);
    frames = frames.slice(count);
    const freed = dropped.reduce((sum, frame) => sum + frame.bytes.length, 0);
    bytes -= freed;
    memory.give(account, freed);
    from = dropped.at(-1)?.position ?? from;
  }

  function makeRoom(wanted: number): boolean {
    const few = Math.max(1, Math.ceil(frames.length / 8));
    while (frames.length > 0 && (frames.length >= maxFrames || bytes + wanted > maxBytes)) dropOldest(few);
    while (!memory.take(account, wanted)) {
      if (frames.length === 0) return false;
      dropOldest(few);
    }
    return true;
  }

  return {
    /** @param next the position up to which these are all events after the ring's end */
    append(added: readonly Frame[], next: number): void {
      pieces.clear();
      for (const frame of added) {
        if (frame.position <= end) continue;
        if (makeRoom(frame.bytes.length)) {
          frames.push(frame);
          bytes += frame.bytes.length;
        } else from = frame.position;
      }
      end = Math.max(end, next);
      if (frames.length === 0) from = end;
    },
    /** Events after a position; undefined when the ring lacks some. */
    read(after: number, { filter, key }: Reader): Piece | undefined {
      if (after < from) return undefined;
      const name = `${after} ${key}`;
      const known = pieces.get(name);
      if (known !== undefined) return known;
      const piece = pieceAfter(frames, after, filter, Math.max(after, end));
      if (pieces.size >= maxPieces) pieces.clear();
      pieces.set(name, piece);
      return piece;
    },
    end: (): number => end,
    /** Frees its memory. */
    clear(): void {
      dropOldest(frames.length);
      pieces.clear();
    },
  };
}
export type Ring = ReturnType<typeof createRing>;

/** @param end where the last of the frames leads to */
function pieceAfter(frames: readonly Frame[], after: number, filter: EventFilter, end: number): Piece {
  const wanted: Buffer[] = [];
  let size = 0;
  let next = after;
  for (let at = firstAfter(frames, after); at < frames.length; at++) {
    const frame = frames[at] as Frame;
    if (isWanted(frame, filter)) {
      if (size > 0 && size + frame.bytes.length > pieceBytes)
        return { bytes: join(wanted), events: wanted.length, next };
      wanted.push(frame.bytes);
      size += frame.bytes.length;
    }
    next = frame.position;
  }
  return { bytes: join(wanted), events: wanted.length, next: end };
}

const join = (buffers: readonly Buffer[]): Buffer | undefined =>
  buffers.length === 0 ? undefined : buffers.length === 1 ? buffers[0] : Buffer.concat(buffers);

/** The index of the first frame after a position, by binary search. */
function firstAfter(frames: readonly Frame[], after: number): number {
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((frames[middle] as Frame).position <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
