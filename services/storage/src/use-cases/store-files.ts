import type { BlobStore } from '@indelible/blob-store';
import { appendEvents, type NewEvent, newEvent } from '@indelible/event-store';
import type { AddressedReply } from '@indelible/messages';
import { FileStored } from '@indelible/messages';
import { type Database, decideInTransaction } from '@indelible/postgres';
import type { ReplySender } from '@indelible/redis';
import { failpoint, isRetryable } from '@indelible/service-runtime';
import { candidatePaths } from '../decisions/stored-name.ts';
import { triesOfSlow, tryAgainAt } from '../decisions/try-again.ts';
import { type FailedFile, type StoredFile, saveFailed, saveStored } from '../tables/files.ts';
import { closePath, type ReservedPath, reservePaths } from '../tables/paths.ts';
import { movePending, type PendingFile, postponeFiles, readPending } from '../tables/pending-files.ts';
import { claimedOf, dropClaims, readStamps } from '../tables/stamps.ts';
import { discardContent } from './discard-content.ts';
import { failedReplyOf, fileFailed } from './file-failed.ts';
import { inParallel } from './in-parallel.ts';
import { defaultPatienceMs, inTime, isAvailable, LateError } from './patience.ts';

export type StorePorts = {
  readonly database: Pick<Database, 'query' | 'transaction' | 'schema'>;
  readonly blobStore: Pick<BlobStore, 'promote' | 'discard' | 'check'>;
  readonly replies: ReplySender;
  readonly now: () => Date;
};

export type Stored = {
  readonly stored: readonly StoredFile[];
  readonly failed: readonly { readonly stampId: string; readonly error: unknown }[];
  /** Files that are retried later: the blob store is available, but not for them, or not in time. */
  readonly postponed: number;
  /** Why some are still pending: the blob store's retryable fault, thrown after everything else. */
  readonly away?: unknown;
};

/** Files moved concurrently: each waits for the disk or bucket. */
const width = 16;

type Moved =
  | { readonly kind: 'moved'; readonly file: PendingFile }
  | { readonly kind: 'failed'; readonly file: PendingFile; readonly error: unknown }
  | { readonly kind: 'away'; readonly file: PendingFile; readonly error: unknown }
  /** `begun`: it was slow itself; otherwise others used up the time. */
  | { readonly kind: 'late'; readonly file: PendingFile; readonly begun: boolean }
  | { readonly kind: 'gone' };

/**
 * The second half of storing: moves the pending files of these stamps to their paths, and records each as stored
 * together with its FileStored event; then replies to waiting requests. Each step may be repeated after a crash: a
 * moved file is found at its path, and only the call that changes the record appends the event (I5, I7). A file that
 * cannot be moved while the blob store is available, or not in time, is left to the retries (retry-files.ts), and
 * delays no other.
 * @param requestIds HTTP request ids of the stamps, by stamp, as far as known
 */
export async function storePendingFiles(
  ports: StorePorts,
  stampIds: readonly string[],
  requestIds: ReadonlyMap<string, string> = new Map(),
  patienceMs: number = defaultPatienceMs,
): Promise<Stored> {
  const pending = await readPending(ports.database, stampIds);
  if (pending.length === 0) return { stored: [], failed: [], postponed: 0 };
  const deadline = performance.now() + patienceMs;
  const outcomes = await inParallel(pending, width, (file) => move(deadline, ports, file));
  const moved = outcomes.flatMap((outcome) => (outcome.kind === 'moved' ? [outcome.file] : []));
  const failed = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed' ? [{ stampId: outcome.file.stampId, error: outcome.error }] : [],
  );
  if (moved.length > 0) failpoint('storage.moved');
  const later = outcomes.filter((outcome) => outcome.kind === 'away' || outcome.kind === 'late');
  const isAway = later.length > 0 && !(await isAvailable(ports.blobStore));
  const { postponed, givenUp } = sortTries(isAway ? [] : later, ports.now());
  failed.push(...givenUp);
  const { stored, lost } = await noteOutcomes(ports, moved, failed, postponed, requestIds);
  if (stored.length > 0) failpoint('storage.noted');
  await ports.replies.send([...stored.flatMap(replyOf), ...lost.flatMap(failedReplyOf)]);
  await discardUsed(ports, moved);
  return { stored, failed, postponed: postponed.length, ...(isAway ? { away: faultOf(later) } : {}) };
}

type Later = Extract<Moved, { kind: 'away' | 'late' }>;

const faultOf = (later: readonly Later[]): unknown =>
  later.find((one) => one.kind === 'away')?.error ?? new LateError();

/** A merely slow file is never given up; one not started is due at once. */
function sortTries(later: readonly Later[], now: Date) {
  const postponed: { stampId: string; tries: number; tryAfter: Date }[] = [];
  const givenUp: { stampId: string; error: unknown }[] = [];
  for (const one of later) {
    const { stampId } = one.file;
    if (one.kind === 'late' && !one.begun) {
      postponed.push({ stampId, tries: one.file.tries, tryAfter: now });
      continue;
    }
    const tries = one.kind === 'away' ? one.file.tries + 1 : triesOfSlow(one.file.tries);
    const tryAfter = tryAgainAt(tries, now);
    if (tryAfter !== null) postponed.push({ stampId, tries, tryAfter });
    else if (one.kind === 'away') givenUp.push({ stampId, error: one.error });
  }
  return { postponed, givenUp };
}

/** Content for several paths stays staged until no file waits for it; the sweep removes what is left here. */
async function discardUsed({ database, blobStore }: StorePorts, moved: readonly PendingFile[]): Promise<void> {
  const used = [...new Set(moved.flatMap((file) => (file.shared ? [file.stagedId] : [])))];
  if (used.length === 0) return;
  const claimed = await claimedOf(database, used);
  await discardContent(
    blobStore,
    used.filter((stagedId) => !claimed.has(stagedId)),
  );
}

/**
 * Moves one file; skips a path that unexpectedly holds something else. A move that misses the deadline may still
 * succeed: a later try finds it, or waits for it again (join-moves.ts).
 */
async function move(deadline: number, ports: StorePorts, file: PendingFile): Promise<Moved> {
  const remaining = deadline - performance.now();
  if (remaining <= 0) return { kind: 'late', file, begun: false };
  try {
    const { stagedId, filePath, size, crc32c } = file;
    const outcome = await inTime(
      remaining,
      ports.blobStore.promote(stagedId, filePath, { size, crc32c }, { keepStaged: file.shared }),
    );
    if (outcome !== 'exists-other') return { kind: 'moved', file };
    const path = await takeNextPath(ports.database, file);
    if (path === 'gone') return { kind: 'gone' };
    if (path === 'none') return { kind: 'failed', file, error: new Error('every name it may have is taken') };
    return await move(deadline, ports, { ...file, ...path });
  } catch (error) {
    if (error instanceof LateError) return { kind: 'late', file, begun: true };
    return isRetryable(error) ? { kind: 'away', file, error } : { kind: 'failed', file, error };
  }
}

function takeNextPath(
  database: Pick<Database, 'transaction'>,
  file: PendingFile,
): Promise<ReservedPath | 'none' | 'gone'> {
  return decideInTransaction(database, async (client) => {
    const state = (await readStamps(client, [file.stampId])).get(file.stampId);
    if (state?.confirmation == null || state.claim === null) return 'gone';
    const { confirmation, claim } = state;
    const candidates = candidatePaths({ ...confirmation, fileName: claim.fileName });
    if ('fault' in candidates) return 'none';
    await closePath(client, file.filePath);
    const request = { stampId: file.stampId, objectCid: confirmation.objectCid, candidates, from: file.attempt + 1 };
    const path = (await reservePaths(client, [request])).get(file.stampId);
    if (path === undefined) return 'none';
    return (await movePending(client, file, path)) ? path : 'gone';
  });
}

async function noteOutcomes(
  { database, now }: StorePorts,
  moved: readonly PendingFile[],
  failed: readonly { readonly stampId: string }[],
  postponed: Parameters<typeof postponeFiles>[1],
  requestIds: ReadonlyMap<string, string>,
): Promise<{ readonly stored: readonly StoredFile[]; readonly lost: readonly FailedFile[] }> {
  return await database.transaction(async (client) => {
    const storedAt = now();
    const stored = await saveStored(client, moved, storedAt);
    const lost = await saveFailed(
      client,
      failed.map(({ stampId }) => stampId),
    );
    await postponeFiles(client, postponed);
    await dropClaims(
      client,
      [...moved, ...failed].map(({ stampId }) => stampId),
    );
    await appendEvents(client, database.schema, [
      ...stored.flatMap((file) => (file.recreated ? [] : [fileStored(file, storedAt, requestIds.get(file.stampId))])),
      ...lost.map((file) => fileFailed(file, storedAt)),
    ]);
    return { stored, lost };
  });
}

/** The event of a stamp's file; for a recreated record it waits until the stamp is known. */
export const fileStored = (
  { traceparent, recreated: _, ...file }: StoredFile,
  storedAt: Date,
  requestId: string = file.requestId ?? file.stampId,
): NewEvent =>
  newEvent(
    FileStored,
    // The reference is of the request that made the stamp; an upload is another request, which has none.
    { ...file, clientRef: file.came === 'later' ? null : file.clientRef, storedAt: storedAt.toISOString() },
    { stream: `file-${file.stampId}`, version: 1, requestId, ...(traceparent === null ? {} : { traceparent }) },
  );

const replyOf = ({ stampId, fileName, filePath, replyTo }: StoredFile): AddressedReply[] =>
  replyTo === null ? [] : [{ replyTo, reply: { kind: 'stored', requestId: stampId, stampId, fileName, filePath } }];
