import type { Readable } from 'node:stream';
import type { Hex } from '@indelible/identifiers';
import { bareRows } from '../matching/copy-rows.ts';
import type { UploadedObjects } from '../matching/match-set.ts';
import { type Question, readUpload, UploadError } from '../matching/read-upload.ts';
import { createRepetitions } from '../matching/repetitions.ts';
import type { MatchingSession } from '../matching/sessions.ts';
import { notePairs } from '../matching/submitted-rows.ts';
import type { Spool } from '../spooling/spool.ts';

/** A complete upload: its rows are in a spool. */
export type ReceivedUpload = { readonly question: Question; readonly count: number };

/**
 * Reads and checks an upload at its sender's pace, without a Postgres session.
 * @throws UploadError; UnavailableError when there is no room for it
 */
export async function receiveUpload(upload: Readable, caller: Hex, spool: Spool): Promise<ReceivedUpload> {
  let count = 0;
  for await (const batch of readUpload(upload)) {
    count += batch.count;
    if (batch.rows.length > 0) await spool.write(batch.rows);
    if (batch.lastLine !== undefined) {
      spool.end();
      return { question: { ...batch.lastLine, caller }, count };
    }
  }
  throw new UploadError('the upload has no last line');
}

/**
 * Size of one COPY, which bounds the duration of its transaction: outbox relays wait for the oldest one that writes.
 */
const copiedBytes = 512 * 1024;

/** Copies an upload's rows into the session's table, each part while the next is read. */
export async function loadUpload(
  session: MatchingSession,
  { count }: ReceivedUpload,
  spool: Spool,
): Promise<UploadedObjects> {
  const repetitions = createRepetitions();
  let copying: Promise<void> = Promise.resolve();
  let parts: Buffer[] = [];
  let size = 0;
  const copy = async (): Promise<void> => {
    const rows = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    parts = [];
    size = 0;
    await copying;
    if (rows.length === 0) return;
    copying = session.copy(rows);
    // Awaited when the next part is there; if reading fails, that failure counts.
    copying.catch(() => {});
  };
  for await (const { bytes, start, end } of bareRows(spool.read())) {
    notePairs(repetitions, bytes, start, end);
    parts.push(bytes.subarray(start, end));
    size += end - start;
    if (size >= copiedBytes) await copy();
  }
  await copy();
  await copying;
  await session.query('analyze pg_temp.submitted');
  return { count, repeating: repetitions.positions() };
}
