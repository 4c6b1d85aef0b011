import type { BlobStore } from '@indelible/blob-store';
import { claimMessages } from '@indelible/event-store';
import type { KeepNonConfirmedContent } from '@indelible/messages';
import { type Client, type Database, decideInTransaction } from '@indelible/postgres';
import { failpoint, isRetryable, PermanentError } from '@indelible/service-runtime';
import { candidatePaths } from '../decisions/stored-name.ts';
import { triesOfSlow, tryAgainAt } from '../decisions/try-again.ts';
import {
  isKept,
  moveNonConfirmed,
  type NonConfirmed,
  postponeNonConfirmed,
  readNonConfirmed,
  saveKept,
  saveNonConfirmed,
} from '../tables/non-confirmed.ts';
import { closePath, type ReservedPath, reservePaths } from '../tables/paths.ts';
import { dropClaims, saveClaims } from '../tables/stamps.ts';
import { lockIdentity } from '../tables/uploads.ts';
import { discardContent } from './discard-content.ts';
import { defaultPatienceMs, inTime, isAvailable, LateError } from './patience.ts';
import { uploadsConsumer } from './record-upload.ts';

export type KeepPorts = {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly blobStore: Pick<BlobStore, 'promote' | 'discard' | 'check'>;
};

export type KeptContent = {
  /** Its path; null when none is possible, or the same content is kept already. */
  readonly filePath: string | null;
  /** Why it can never be kept. */
  readonly fault: string | null;
  /** Staged content that could not be discarded: the sweep removes it. */
  readonly unswept: number;
};

/**
 * Keeps content under `non_confirmed/` with a failed record (docs/interface.md, Stored files), in the steps of every file: the
 * record, the claim and the reserved path in one transaction with the inbox (I5), the move, the record's end. Each may
 * be repeated after a crash. The same content of the same set is kept once.
 * @throws the blob store's retryable fault while the content is pending
 */
export async function keepNonConfirmed(
  ports: KeepPorts,
  message: { readonly id: string; readonly data: KeepNonConfirmedContent },
): Promise<KeptContent> {
  const { requestId, content } = message.data;
  if (content.objectCid !== message.data.objectCid) throw new PermanentError('the content is of another object');
  await record(ports.database, message);
  failpoint('storage.aside-recorded');
  return await finishNonConfirmed(ports, requestId, { stagedId: content.stagedId });
}

/**
 * The steps after the record. Content that cannot be moved while the blob store is available, or not in time, is left
 * to the retries (retry-files.ts), and delays no other.
 * @param options.stagedId of content that may have no record, since the same is kept already
 */
export async function finishNonConfirmed(
  { database, blobStore }: KeepPorts,
  requestId: string,
  options: { readonly stagedId?: string; readonly patienceMs?: number } = {},
): Promise<KeptContent> {
  const { stagedId, patienceMs = defaultPatienceMs } = options;
  const noted = await readNonConfirmed(database, requestId);
  const fault = noted?.status === 'pending' ? await move({ database, blobStore }, noted, patienceMs) : null;
  const kept = await readNonConfirmed(database, requestId);
  const unused = kept?.filePath == null ? [kept?.stagedId ?? stagedId].filter((id) => id !== undefined) : [];
  const unswept = await discardContent(blobStore, unused, patienceMs);
  const unplaced = kept !== undefined && kept.filePath === null ? 'no path can be made of its name' : null;
  const filePath = kept?.status === 'failed' ? kept.filePath : null;
  return { filePath, fault: fault ?? unplaced, unswept };
}

/** Decides once per message; records nothing for content that is kept already. */
function record(
  database: Pick<Database, 'transaction'>,
  { id, data }: { readonly id: string; readonly data: KeepNonConfirmedContent },
): Promise<void> {
  return decideInTransaction(database, async (client) => {
    const unseen = await claimMessages(client, uploadsConsumer, [id]);
    if (unseen.size === 0) return;
    await lockIdentity(client, data);
    if (await isKept(client, data)) return;
    const { objectCid: _, ...claim } = data.content;
    const path = await nextPath(
      client,
      { ...data, givenName: claim.fileName, requestedAt: new Date(data.requestedAt) },
      0,
    );
    await saveNonConfirmed(client, data, path);
    if (path !== undefined) await saveClaims(client, [{ stampId: data.requestId, claim, own: true }]);
  });
}

async function nextPath(
  client: Client,
  file: Pick<
    NonConfirmed,
    'requestId' | 'account' | 'setCid' | 'objectCid' | 'collectionName' | 'givenName' | 'requestedAt'
  >,
  from: number,
): Promise<ReservedPath | undefined> {
  const blockTime = Math.floor(file.requestedAt.getTime() / 1000);
  const candidates = candidatePaths({ ...file, fileName: file.givenName, blockTime }, 'non_confirmed');
  if ('fault' in candidates) return undefined;
  const { requestId, objectCid } = file;
  return (await reservePaths(client, [{ stampId: requestId, objectCid, candidates, from }])).get(requestId);
}

/** Moves the content; skips a path that unexpectedly holds something else. Returns why it cannot be moved. */
async function move(
  { database, blobStore }: KeepPorts,
  first: NonConfirmed,
  patienceMs: number,
): Promise<string | null> {
  const deadline = performance.now() + patienceMs;
  const { requestId, stagedId, size, crc32c } = first;
  const end = (client: Client): Promise<void> => dropClaims(client, [requestId]);
  try {
    for (let file: NonConfirmed | undefined = first; file?.status === 'pending' && file.filePath !== null; ) {
      const { filePath, attempt } = file;
      const from = (attempt ?? 0) + 1;
      const remaining = Math.max(0, deadline - performance.now());
      const outcome = await inTime(remaining, blobStore.promote(stagedId, filePath, { size, crc32c }));
      failpoint('storage.aside-moved');
      await decideInTransaction(database, async (client) => {
        if (outcome !== 'exists-other') {
          await saveKept(client, requestId);
          await end(client);
          return;
        }
        await closePath(client, filePath);
        const path = await nextPath(client, first, from);
        await moveNonConfirmed(client, requestId, path);
        if (path === undefined) await end(client);
      });
      file = await readNonConfirmed(database, requestId);
    }
    return null;
  } catch (error) {
    const tries = error instanceof LateError ? triesOfSlow(first.tries) : first.tries + 1;
    const tryAfter = isRetryable(error) ? tryAgainAt(tries, new Date()) : null;
    if (tryAfter !== null) {
      if (!(await isAvailable(blobStore))) throw error;
      await decideInTransaction(database, (client) => postponeNonConfirmed(client, requestId, tries, tryAfter));
      return null;
    }
    await decideInTransaction(database, async (client) => {
      await moveNonConfirmed(client, requestId, undefined);
      await end(client);
    });
    return error instanceof Error ? error.message : String(error);
  }
}
