import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import { type Candidate, findCandidates } from '../matching/find-candidates.ts';
import { type Question, readUpload, type UploadBatch, UploadError } from '../matching/read-upload.ts';
import type { MatchingSession, MatchingSessions } from '../matching/sessions.ts';
import { writeAnswer } from '../matching/write-answer.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import { hasReached } from '../projections/cursors.ts';
import { TooManyReceiptsError } from './look-up-commitments.ts';

export type VerifyPorts = {
  readonly watch: CursorWatch;
  /**
   * Sessions of uploads that fit one batch, which are read before a session is taken; and those of larger ones, which
   * hold one as long as their sender takes. Pools apart: slow senders never keep small verifications waiting.
   */
  readonly sessions: { readonly small: MatchingSessions; readonly large: MatchingSessions };
};

export type VerifySettings = {
  /** How long an answer may wait for its block, and how long it trusts in being woken before it looks itself. */
  readonly waitMs: number;
  readonly pollMs: number;
  /** Receipts of all collections of an answer. */
  readonly maxReceipts: number;
};

export const defaultVerifySettings: VerifySettings = { waitMs: 2_000, pollMs: 100, maxReceipts: 1_000_000 };

/**
 * Matches an upload's objects with the receipts of the collections asked for or inferred. `begin` gives where the
 * answer is written; it is called when the answer's first part is known, so that faults before it can be told.
 * @throws UploadError when the upload is at fault
 * @throws TooManyReceiptsError
 * @throws UnavailableError when the read model does not reach `minBlock` in time, or too many wait
 */
export async function verifyCollection(
  ports: VerifyPorts,
  upload: Readable,
  begin: () => Writable,
  signal: AbortSignal,
  settings: VerifySettings = defaultVerifySettings,
): Promise<void> {
  const batches = readUpload(upload);
  const { value: first } = await batches.next();
  if (first === undefined) throw new UploadError('the upload is empty');
  const { small, large } = ports.sessions;
  await (first.question === undefined ? large : small).use(async (session) => {
    const question = await take(session, first, batches);
    await inSnapshot(session, ports.watch, question, settings, async () => {
      const candidates = await findCandidates(session, question);
      refuseTooMany(candidates, settings.maxReceipts);
      await stream(writeAnswer(session, question, candidates), begin, signal);
    });
  }, signal);
}

async function take(session: MatchingSession, first: UploadBatch, rest: AsyncIterable<UploadBatch>): Promise<Question> {
  let { question } = first;
  if (first.count > 0) await session.copy(first.rows);
  for await (const batch of rest) {
    if (batch.count > 0) await session.copy(batch.rows);
    question = batch.question;
  }
  if (question === undefined) throw new UploadError('the upload has no last line');
  await session.query('analyze pg_temp.submitted');
  return question;
}

/**
 * Runs `work` in one snapshot whose cursor has reached the asked block (I9). Read-only: a transaction that writes
 * nothing has no id, so that the outbox relays do not wait for it however slowly the answer is read.
 */
async function inSnapshot(
  session: Client,
  watch: CursorWatch,
  { minBlock }: Question,
  settings: VerifySettings,
  work: () => Promise<void>,
): Promise<void> {
  const deadline = performance.now() + settings.waitMs;
  for (;;) {
    const waiter = minBlock === undefined ? undefined : watch.expect(minBlock);
    try {
      await session.query('begin isolation level repeatable read read only');
      if (minBlock === undefined || (await hasReached(session, minBlock))) {
        await work();
        await session.query('commit');
        return;
      }
      await session.query('rollback');
      const left = deadline - performance.now();
      if (left <= 0)
        throw new UnavailableError(`block ${minBlock.number} of chain ${minBlock.chainId} is not projected yet`);
      await waiter?.woken(Math.min(left, settings.pollMs));
    } finally {
      waiter?.close();
    }
  }
}

function refuseTooMany(candidates: readonly Candidate[], limit: number): void {
  const receipts = candidates.reduce((sum, candidate) => sum + candidate.receipts, 0);
  if (receipts > limit) throw new TooManyReceiptsError(`more than ${limit} receipts would be answered`);
}

/** Writes as fast as it is read; the first page of rows is known before anything is written. */
async function stream(parts: AsyncGenerator<string>, begin: () => Writable, signal: AbortSignal): Promise<void> {
  const opening: string[] = [];
  for (let held = 0; held < partsHeld; held++) {
    const { value, done } = await parts.next();
    if (done === true) break;
    opening.push(value);
  }
  await pipeline(
    Readable.from(
      (async function* () {
        yield opening.join('');
        yield* parts;
      })(),
      { highWaterMark: 1 },
    ),
    begin(),
    { signal },
  );
}

/** The document's opening, the collection's, and the first page of its list. */
const partsHeld = 4;
