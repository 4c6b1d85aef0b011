import type { BlobStore } from '@indelible/blob-store';
import { appendEvents, type NewEvent, newEvent } from '@indelible/event-store';
import { failpoint } from '@indelible/failpoints';
import { FileStored } from '@indelible/messages';
import { type Database, decideInTransaction } from '@indelible/postgres';
import type { AddressedReply, ReplySender } from '@indelible/replies';
import { isRetryable } from '@indelible/service-runtime';
import { candidatePaths } from '../decisions/stored-name.ts';
import {
  movePending,
  type PendingFile,
  readPending,
  type StoredFile,
  saveFailed,
  saveStored,
} from '../tables/files.ts';
import { closePath, type ReservedPath, reservePaths } from '../tables/paths.ts';
import { claimedOf, dropClaims, readStamps } from '../tables/stamps.ts';
import { discardContent } from './discard-content.ts';
import { inParallel } from './in-parallel.ts';

export type StorePorts = {
  readonly database: Pick<Database, 'query' | 'transaction' | 'schema'>;
  readonly blobStore: Pick<BlobStore, 'promote' | 'discard'>;
  readonly replies: ReplySender;
  readonly now: () => Date;
};

export type Stored = {
  readonly stored: readonly StoredFile[];
  readonly failed: readonly { readonly stampId: string; readonly error: unknown }[];
  /** Why some are still pending: the blob store's retryable fault, to be thrown once all else is done. */
  readonly away?: unknown;
};

/** Files moved at once: each waits for the disk, or for the bucket. */
const width = 16;

type Moved =
  | { readonly kind: 'moved'; readonly file: PendingFile }
  | { readonly kind: 'failed'; readonly file: PendingFile; readonly error: unknown }
  | { readonly kind: 'away'; readonly error: unknown }
  | { readonly kind: 'gone' };

/**
 * The second half of storing: moves the pending files of these stamps to the paths that are theirs, and notes each as
 * stored together with its FileStored event; then tells who waits. Each step may be repeated after a crash: what was
 * moved is found at its path, and only the call that turns the record appends the event (I5, I7).
 * @param requestIds of the HTTP requests that asked for the stamps, by stamp, as far as they are known
 */
export async function storePendingFiles(
  ports: StorePorts,
  stampIds: readonly string[],
  requestIds: ReadonlyMap<string, string> = new Map(),
): Promise<Stored> {
  const pending = await readPending(ports.database, stampIds);
  if (pending.length === 0) return { stored: [], failed: [] };
  const outcomes = await inParallel(pending, width, (file) => move(ports, file));
  const moved = outcomes.flatMap((outcome) => (outcome.kind === 'moved' ? [outcome.file] : []));
  const failed = outcomes.flatMap((outcome) =>
    outcome.kind === 'failed' ? [{ stampId: outcome.file.stampId, error: outcome.error }] : [],
  );
  if (moved.length > 0) failpoint('storage.moved');
  const stored = await noteOutcomes(ports, moved, failed, requestIds);
  if (stored.length > 0) failpoint('storage.noted');
  await ports.replies.send(stored.flatMap(replyOf));
  await discardUsed(ports, moved);
  const away = outcomes.find((outcome) => outcome.kind === 'away');
  return { stored, failed, ...(away === undefined ? {} : { away: away.error }) };
}

/** Content that went to several paths stays staged until no file waits for it; what is left here, the sweep takes. */
async function discardUsed({ database, blobStore }: StorePorts, moved: readonly PendingFile[]): Promise<void> {
  const used = [...new Set(moved.flatMap((file) => (file.shared ? [file.stagedId] : [])))];
  if (used.length === 0) return;
  const claimed = await claimedOf(database, used);
  await discardContent(
    blobStore,
    used.filter((stagedId) => !claimed.has(stagedId)),
  );
}

/** Moves one file; a path that unexpectedly holds something else is given up for the next one. */
async function move(ports: StorePorts, file: PendingFile): Promise<Moved> {
  try {
    const { stagedId, filePath, size, crc32c } = file;
    const outcome = await ports.blobStore.promote(stagedId, filePath, { size, crc32c }, { keepStaged: file.shared });
    if (outcome !== 'exists-other') return { kind: 'moved', file };
    const path = await takeNextPath(ports.database, file);
    if (path === 'gone') return { kind: 'gone' };
    if (path === 'none') return { kind: 'failed', file, error: new Error('every name it may have is taken') };
    return await move(ports, { ...file, ...path });
  } catch (error) {
    return isRetryable(error) ? { kind: 'away', error } : { kind: 'failed', file, error };
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
  requestIds: ReadonlyMap<string, string>,
): Promise<StoredFile[]> {
  return await database.transaction(async (client) => {
    const storedAt = now();
    const stored = await saveStored(client, moved, storedAt);
    await saveFailed(
      client,
      failed.map(({ stampId }) => stampId),
    );
    await dropClaims(
      client,
      [...moved, ...failed].map(({ stampId }) => stampId),
    );
    await appendEvents(
      client,
      database.schema,
      stored.flatMap((file) => (file.recreated ? [] : [fileStored(file, storedAt, requestIds.get(file.stampId))])),
    );
    return stored;
  });
}

/** The event of a stamp's file; that of a recreated record waits until its stamp is known. */
export const fileStored = (
  { traceparent, recreated: _, ...file }: StoredFile,
  storedAt: Date,
  requestId: string = file.stampId,
): NewEvent =>
  newEvent(
    FileStored,
    { ...file, storedAt: storedAt.toISOString() },
    { stream: `file-${file.stampId}`, version: 1, requestId, ...(traceparent === null ? {} : { traceparent }) },
  );

const replyOf = ({ stampId, fileName, filePath, replyTo }: StoredFile): AddressedReply[] =>
  replyTo === null ? [] : [{ replyTo, reply: { kind: 'stored', requestId: stampId, stampId, fileName, filePath } }];
