import { randomUUID } from 'node:crypto';
import { type Checksums, claimedBy } from './checksums.ts';
import { type Objects, type Room, resourceOf } from './objects.ts';
import { invalid, notFound } from './refusal.ts';
import type { Claims } from './requests.ts';

/** All requests of an upload but the last carry a multiple of this. */
const QUANTUM = 256 * 1024;
/** The most open uploads; the oldest is then dropped, as Google drops one after a week. */
const MAX_SESSIONS = 1_000;

/** The parameters of an upload. */
export type Upload = {
  readonly bucket: string;
  readonly name: string;
  readonly conditions: URLSearchParams;
  readonly contentType: string;
  readonly claims: Claims;
  /** The length that `X-Upload-Content-Length` announced, in bytes. */
  readonly length: number | undefined;
};

type Session = Upload & { chunks: Buffer[]; received: number; stored?: Record<string, unknown> };

/** A request's `Content-Range`: the offset of its first byte (undefined: a query or end only), and the whole length. */
type Range = {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly total: number | undefined;
};

/** Progress of an upload: the object's resource when complete, else how many bytes are kept. */
export type Progress = { readonly stored: Record<string, unknown> } | { readonly received: number };

/** Resumable uploads. A request counts when its body has arrived whole; an object is invisible before the last one. */
export class Uploads {
  readonly #sessions = new Map<string, Session>();
  readonly #objects: Objects;
  readonly #room: Room;

  constructor(objects: Objects, room: Room) {
    this.#objects = objects;
    this.#room = room;
  }

  /** Returns the id under which the content is to be sent. */
  begin(upload: Upload): string {
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size >= MAX_SESSIONS) this.#forget(oldest);
    this.#room.take(0);
    const id = randomUUID();
    this.#sessions.set(id, { ...upload, chunks: [], received: 0 });
    return id;
  }

  /** Takes one request of an upload; skips bytes already kept. Throws a 4xx for a mismatch. */
  send(
    id: string,
    bucket: string,
    body: Buffer,
    headers: { range: string | undefined; hash: string | undefined },
  ): Progress {
    const session = this.#sessions.get(id);
    if (session === undefined || session.bucket !== bucket) throw notFound('No such upload');
    if (session.stored !== undefined) return { stored: session.stored };
    const { start, end, total } = parseRange(headers.range, body.length);
    if (end !== undefined && start !== undefined && end - start !== body.length)
      throw invalid('The length of the request is not that of its Content-Range');
    if (total !== undefined && session.length !== undefined && total !== session.length)
      throw invalid('The length of the upload is not the announced one');
    if (total !== undefined && total < Math.max(session.received, (start ?? 0) + body.length))
      throw invalid('The upload is longer than its Content-Range says');
    if (start === undefined) return total === session.received ? this.#finish(id, session, headers.hash) : session;
    if (start > session.received) throw invalid('The request leaves bytes out');
    const isLast = total === start + body.length;
    if (!isLast && body.length % QUANTUM !== 0) throw invalid('The request is no multiple of 256 KiB');
    const fresh = body.subarray(session.received - start);
    if (fresh.length > 0) {
      this.#room.take(fresh.length);
      session.chunks.push(fresh);
      session.received += fresh.length;
    }
    return isLast ? this.#finish(id, session, headers.hash) : session;
  }

  /** Forgets an upload. Throws a 404 when there is none. */
  cancel(id: string, bucket: string): void {
    if (this.#sessions.get(id)?.bucket !== bucket) throw notFound('No such upload');
    this.#forget(id);
  }

  #finish(id: string, session: Session, hash: string | undefined): Progress {
    const content = Buffer.concat(session.chunks, session.received);
    const claims: Partial<Checksums>[] = [session.claims.checksums, claimedBy(hash)];
    const { contentType, claims: told } = session;
    const description = { contentType, metadata: undefined, ...told.described };
    this.#release(session);
    try {
      const stored = resourceOf(this.#objects.put(session, content, description, ...claims));
      session.stored = stored;
      return { stored };
    } catch (error) {
      this.#forget(id);
      throw error;
    }
  }

  #forget(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#sessions.delete(id)) return;
    this.#release(session);
    this.#room.give(0);
  }

  #release(session: Session): void {
    for (const chunk of session.chunks) this.#room.give(chunk.length);
    session.chunks = [];
  }
}

/** Without the header a request carries the whole content. */
function parseRange(header: string | undefined, length: number): Range {
  if (header === undefined) return { start: 0, end: length, total: length };
  const found = /^bytes (?:\*|(\d{1,15})-(\d{1,15}|\*))\/(\d{1,15}|\*)$/.exec(header);
  if (found === null) throw invalid('Invalid Content-Range');
  const [, first, last, whole] = found;
  const total = whole === undefined || whole === '*' ? undefined : Number(whole);
  if (first === undefined) {
    if (length > 0) throw invalid('A request without a range carries no content');
    return { start: undefined, end: undefined, total };
  }
  const start = Number(first);
  return { start, end: last === '*' ? start + length : Number(last) + 1, total };
}
