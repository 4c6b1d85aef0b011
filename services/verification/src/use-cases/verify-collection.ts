import type { Readable, Writable } from 'node:stream';
import type { Hex } from '@indelible/identifiers';
import { bareRows, createRowSource } from '../matching/copy-rows.ts';
import type { FairSeats } from '../matching/fair-seats.ts';
import { findCandidates } from '../matching/find-candidates.ts';
import { produceAnswer } from '../matching/produce-answer.ts';
import { defaultSampleSettings, type SampleSettings } from '../matching/sample-sets.ts';
import type { MatchingSessions } from '../matching/sessions.ts';
import { writeAnswer } from '../matching/write-answer.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import type { DiskBudget } from '../spooling/disk-budget.ts';
import { createSpool, type Spool, spoolDefaults } from '../spooling/spool.ts';
import { inSnapshot } from './await-snapshot.ts';
import { loadUpload, type ReceivedUpload, receiveUpload } from './receive-upload.ts';
import { sendAnswer } from './send-answer.ts';

export type VerifyPorts = {
  readonly watch: CursorWatch;
  /** Requests in progress: each holds memory, however slow its client. */
  readonly places: FairSeats;
  /** For uploads of up to `largeUpload` objects, and larger ones, which never delay the small ones. */
  readonly sessions: { readonly small: MatchingSessions; readonly large: MatchingSessions };
  /** Where uploads and answers wait for their senders and readers. */
  readonly spooling: { readonly directory: string; readonly budget: DiskBudget };
};

export type VerifySettings = {
  /** How long a response may wait for its block, and how often the cursor is read meanwhile even if not woken. */
  readonly waitMs: number;
  readonly pollMs: number;
  /** How long a query without room for its result waits for a reader that reads less than a segment of it. */
  readonly roomMs: number;
  /** How long the reader may take none of a page of the answer. */
  readonly stillMs: number;
  readonly sampling: SampleSettings;
};

export const defaultVerifySettings: VerifySettings = {
  waitMs: 2_000,
  pollMs: 100,
  roomMs: 60_000,
  // The gateway passes pages on to its client; progress of a slow one shows only after minutes.
  stillMs: 360_000,
  sampling: defaultSampleSettings,
};

const largeUpload = 5_000;

/**
 * Matches an upload's objects with the receipts of the requested or inferred collections. A Postgres session is held
 * from the end of the upload to the end of the query, whatever sender and reader do: both have a spool. `begin` returns
 * the response's destination; it is called when the first part is known, so that earlier faults can be reported.
 * @throws UploadError when the upload is invalid
 * @throws UnavailableError when the read model does not reach what the caller knows in time, too many wait, or no room
 *   is left
 */
export async function verifyCollection(
  ports: VerifyPorts,
  { caller, upload }: { readonly caller: Hex; readonly upload: Readable },
  begin: () => Writable,
  signal: AbortSignal,
  settings: VerifySettings = defaultVerifySettings,
): Promise<void> {
  const leave = await ports.places.take(caller, signal);
  const spoolFor = (roomMs: number): Spool => createSpool(caller, { ...spoolDefaults, ...ports.spooling, roomMs });
  const objects = spoolFor(0);
  const answer = spoolFor(settings.roomMs);
  const ended = new AbortController();
  const until = AbortSignal.any([signal, ended.signal]);
  const stop = (): void => {
    objects.fail(signal.reason);
    answer.fail(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  let answering: Promise<void> = Promise.resolve();
  try {
    const received = await receiveUpload(upload, caller, objects);
    answering = answerTo(ports, received, objects, answer, until, settings).catch((error: unknown) =>
      answer.fail(error),
    );
    const rows = createRowSource(bareRows(answer.read()));
    await sendAnswer(writeAnswer(rows), begin, signal, settings.stillMs);
  } finally {
    const over = new Error('the answer has ended');
    ended.abort(over);
    // A writer to a spool that nobody reads would wait for room.
    objects.fail(over);
    answer.fail(over);
    signal.removeEventListener('abort', stop);
    await answering;
    await Promise.all([objects.close(), answer.close()]);
    leave();
  }
}

/** Runs the queries in a session, which is free again once the last row is in the spool. */
async function answerTo(
  { sessions, watch }: VerifyPorts,
  received: ReceivedUpload,
  objects: Spool,
  answer: Spool,
  signal: AbortSignal,
  settings: VerifySettings,
): Promise<void> {
  const { question, count } = received;
  const pool = count > largeUpload ? sessions.large : sessions.small;
  await pool.use(
    question.caller,
    async (session) => {
      const uploaded = await loadUpload(session, received, objects);
      await inSnapshot(session, watch, question, settings, async () => {
        const candidates = await findCandidates(session, question, uploaded, settings.sampling);
        await produceAnswer(session, question, candidates, uploaded, answer.write);
      });
    },
    signal,
  );
  answer.end();
}
