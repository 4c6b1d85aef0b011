import type { Database } from '@indelible/postgres';
import { UnavailableError } from '@indelible/service-runtime';
import { type Commitment, haveRecords } from '../decisions/place-upload.ts';
import type { Stamping } from '../neighbours/stamping.ts';
import { readCommitments, readUpload } from '../tables/uploads.ts';
import type { UploadMessage } from './record-upload.ts';

/** How long an upload waits for stamping to read its commitment's block, so that the confirmation precedes the file. */
const patienceMs = 30_000;

/**
 * Finds the stamps of an upload's commitments, in order, where records do not show them: most stamps have none. If
 * stamping supports the query, no upload makes its own id for a stamp's commitment; otherwise records alone show the
 * owner, until the stamp's message (of an older release, without a label) or the next upload does.
 * @returns undefined when not needed: each commitment has its stamp's record, or the upload is decided
 * @throws UnavailableError while stamping is unavailable, or has not read the block yet: the command is retried
 */
export async function findStamps(
  { database, stamping }: { readonly database: Pick<Database, 'query'>; readonly stamping: Pick<Stamping, 'stampsOf'> },
  { data }: UploadMessage,
  now: Date,
): Promise<readonly Commitment['stamp'][] | undefined> {
  const { requestId, account, setCid, objectCid, receipts, requestedAt } = data;
  if (haveRecords(receipts, await readCommitments(database, data))) return undefined;
  if ((await readUpload(database, requestId)) !== undefined) return undefined;
  const stamps = await stamping.stampsOf({ account, setCid, objectCid }, receipts);
  if (stamps === undefined) return receipts.map(() => undefined);
  if (stamps.length !== receipts.length) throw new UnavailableError('stamping answered for other receipts');
  const isBehind = stamps.some((stamp) => stamp === 'not-recorded' || stamp?.isRecorded === false);
  if (isBehind && now.getTime() - Date.parse(requestedAt) < patienceMs)
    throw new UnavailableError('stamping has not read the block of a commitment yet');
  return stamps.map((stamp) => (stamp === 'not-recorded' ? undefined : stamp));
}
