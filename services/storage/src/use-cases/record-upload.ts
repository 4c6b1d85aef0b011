import { claimMessages } from '@indelible/event-store';
import { newId } from '@indelible/identifiers';
import {
  commandGroups,
  type DataOf,
  type Receipt,
  type StampOfReceipt,
  type StoreUploadedContent,
} from '@indelible/messages';
import { type Client, type Database, decideInTransaction } from '@indelible/postgres';
import { PermanentError, UnavailableError } from '@indelible/service-runtime';
import { type Confirmation, confirmationOf } from '../decisions/follow-stamp.ts';
import { type Commitment, type Copy, haveRecords, placeUpload } from '../decisions/place-upload.ts';
import { saveFailed } from '../tables/files.ts';
import { dropClaims, saveClaims, saveConfirmations } from '../tables/stamps.ts';
import { type DecidedUpload, lockIdentity, readCommitments, replaceClaims, saveUpload } from '../tables/uploads.ts';
import { type Plan, planFiles } from './plan-files.ts';

/** The inbox name, and the group, of uploads. */
export const uploadsConsumer = commandGroups['commands.files'];

export type UploadMessage = {
  readonly id: string;
  readonly traceparent?: string;
  readonly data: DataOf<typeof StoreUploadedContent>;
};

/** Staged content that this transaction leaves unclaimed; and why a copy can never be stored. */
export type RecordedUpload = { readonly discards: readonly string[]; readonly faults: readonly string[] };

/**
 * The first half of an upload: decides whether a commitment has a file, or which copies to make, and records it in one
 * transaction with the inbox (I5), one at a time for the same content in the same set. A commitment without a record
 * gets one (docs/interface.md, Stored files). Moves nothing yet.
 * @param stamps of the command's receipts (find-stamps.ts); undefined when their records show them
 * @throws PermanentError for a command that contradicts itself, UnavailableError when records changed since the stamps
 *   were looked up
 */
export async function recordUpload(
  database: Pick<Database, 'transaction'>,
  message: UploadMessage,
  now: Date,
  stamps: readonly Commitment['stamp'][] | undefined,
): Promise<RecordedUpload> {
  const { data } = message;
  checkAgreement(data);
  return await decideInTransaction(database, async (client) => {
    const unseen = await claimMessages(client, uploadsConsumer, [message.id]);
    if (unseen.size === 0) return { discards: [], faults: [] };
    await lockIdentity(client, data);
    const records = await readCommitments(client, data);
    if (stamps === undefined && !haveRecords(data.receipts, records))
      throw new UnavailableError('the records of an upload have changed meanwhile');
    const placement = placeUpload(
      data.receipts.map((receipt, i) => ({ receipt, stamp: stamps?.[i] })),
      records,
    );
    const { requestId, replyTo } = data;
    const { stagedId } = data.content;
    const save = (outcome: DecidedUpload['outcome'], stampIds: readonly string[], receipts: readonly Receipt[]) =>
      saveUpload(client, { requestId, outcome, stagedId, stampIds, receipts, replyTo }, now);
    if (placement.kind === 'existing') {
      const { owner, receipt } = placement;
      if (owner !== null)
        await saveConfirmations(client, [
          { stampId: owner.stampId, confirmation: confirmationAt(receipt, data.collectionName, owner) },
        ]);
      await save('existing', [placement.stampId], [placement.receipt]);
      return { discards: [stagedId], faults: [] };
    }
    const { stampIds, ...recorded } = await planCopies(client, message, placement.copies);
    await save(
      'created',
      stampIds,
      placement.copies.map(({ receipt }) => receipt),
    );
    return recorded;
  });
}

async function planCopies(
  client: Client,
  { data, traceparent }: UploadMessage,
  copies: readonly Copy[],
): Promise<RecordedUpload & { readonly stampIds: readonly string[] }> {
  const { objectCid: _, ...claim } = data.content;
  const announcement = { replyTo: null, traceparent: traceparent ?? null };
  const plans = copies.map(({ receipt, stamp, record }): Plan & Pick<Copy, 'stamp' | 'record'> => ({
    stampId: stamp?.stampId ?? record?.stampId ?? newId(),
    claim,
    confirmation: confirmationAt(receipt, data.collectionName, stamp),
    announcement,
    came: 'later',
    stamp,
    record,
  }));
  const stampIds = plans.map(({ stampId }) => stampId);
  // A stamp's record, once there, is for its own messages to change.
  const unrecorded = plans.filter(({ record }) => record === null || record.recreated);
  await saveConfirmations(
    client,
    unrecorded.filter(({ stamp }) => stamp !== null),
  );
  await saveConfirmations(
    client,
    unrecorded.filter(({ stamp }) => stamp === null),
    true,
  );
  const discards = await replaceClaims(client, stampIds);
  await saveClaims(
    client,
    plans.map((plan) => ({ ...plan, own: false })),
  );
  const lost = await planFiles(client, plans);
  const lostIds = lost.map(({ stampId }) => stampId);
  await saveFailed(client, lostIds);
  await dropClaims(client, lostIds);
  if (lost.length === plans.length) discards.push(claim.stagedId);
  return { stampIds, discards, faults: lost.map(({ fault }) => fault) };
}

const confirmationAt = (receipt: Receipt, collectionName: string, stamp: StampOfReceipt | null): Confirmation =>
  confirmationOf({
    receipt,
    collectionName: stamp?.collectionName ?? collectionName,
    requestId: stamp?.requestId ?? null,
    clientRef: stamp?.clientRef ?? null,
  });

function checkAgreement({ account, setCid, objectCid, receipts, content }: UploadMessage['data']): void {
  const agree = (one: Receipt): boolean =>
    one.account === account && one.setCid === setCid && one.objectCid === objectCid;
  if (content.objectCid !== objectCid || !receipts.every(agree))
    throw new PermanentError('an upload names commitments or content of something else');
}
