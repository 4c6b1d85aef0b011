import type { Readable, Writable } from 'node:stream';
import type { Client } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import { type Candidate, findCandidates } from '../matching/find-candidates.ts';
import type { UploadedObjects } from '../matching/match-set.ts';
import { type Question, readUpload, type UploadBatch, UploadError } from '../matching/read-upload.ts';
import { defaultSampleSettings, type SampleSettings } from '../matching/sample-sets.ts';
import type { MatchingSession, MatchingSessions } from '../matching/sessions.ts';
import { writeAnswer } from '../matching/write-answer.ts';
import type { CursorWatch } from '../projections/cursor-watch.ts';
import { hasReached } from '../projections/cursors.ts';
import { beginSnapshot } from '../projections/snapshot.ts';
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
  readonly sampling: SampleSettings;
};

export const defaultVerifySettings: VerifySettings = {
  waitMs: 2_000,
  pollMs: 100,
  maxReceipts: 1_000_000,
  sampling: defaultSampleSettings,
};

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
    const { question, objects } = await take(session, first, batches);
    await inSnapshot(session, ports.watch, question, settings, async () => {
      const candidates = await findCandidates(session, question, objects, settings.sampling);
      refuseTooMany(candidates, settings.maxReceipts);
      await stream(writeAnswer(session, question, candidates, objects), begin, signal);
    });
  }, signal);
}

/** Copies an upload's batches, each while the next is read. */
async function take(
  session: MatchingSession,
  first: UploadBatch,
  rest: AsyncIterable<UploadBatch>,
): Promise<{ question: Question; objects: UploadedObjects }> {
  let { question, count, repeating } = first;
  let copying = copyBatch(session, first);
  for await (const batch of rest) {
    await copying;
    copying = copyBatch(session, batch);
    count += batch.count;
    ({ question, repeating } = batch);
  }
  await copying;
  if (question === undefined) throw new UploadError('the upload has no last line');
  await session.query('analyze pg_temp.submitted');
  return { question, objects: { count, repeating } };
}

/** It is awaited when the next batch is there; when that one is at fault, its own failing is nobody's concern. */
function copyBatch(session: MatchingSession, { rows, count }: UploadBatch): Promise<void> {
  if (count === 0) return Promise.resolve();
  const copying = session.copy(rows);
  copying.catch(() => {});
  return copying;
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
      await beginSnapshot(session);
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

/**
 * Writes as fast as it is read; the first page is known before anything is written. Each page's memory is the next
 * one's, so the next is asked for when the one before has left.
 */
async function stream(pages: AsyncGenerator<Buffer>, begin: () => Writable, signal: AbortSignal): Promise<void> {
  const first = await pages.next();
  if (first.done === true) throw new Error('an answer without a page');
  const answer = begin();
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const abort = (): void => broken.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  answer.once('error', broken.reject);
  try {
    signal.throwIfAborted();
    await Promise.race([left(answer, first.value), broken.promise]);
    for await (const page of pages) await Promise.race([left(answer, page), broken.promise]);
    await Promise.race([ended(answer), broken.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    await pages.return(undefined);
  }
}

const left = (answer: Writable, page: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    answer.write(page, (error) => (error ? reject(error) : resolve()));
  });

const ended = (answer: Writable): Promise<void> => new Promise((resolve) => answer.end(resolve));
