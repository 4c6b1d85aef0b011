import { appendEvents, claimMessages } from '@indelible/event-store';
import type { Database } from '@indelible/postgres';
import { decideInTransaction } from '@indelible/postgres';
import {
  type Claim,
  type Confirmation,
  followStamp,
  type RefusalMessage,
  type StampMessage,
  unknownStamp,
} from '../decisions/follow-stamp.ts';
import { readFailed, saveFailed } from '../tables/files.ts';
import { dropClaims, insertConfirmations, readStamps, saveClaims, saveConfirmations } from '../tables/stamps.ts';
import { fileFailed } from './file-failed.ts';
import { type Plan, planFiles } from './plan-files.ts';

/** The inbox name. */
export const consumerName = 'storage';

export type Recorded = {
  /** Staged content that is nobody's since this transaction: to be discarded, or swept later. */
  readonly discards: readonly string[];
  readonly failed: readonly { readonly stampId: string; readonly fault: string }[];
};

/**
 * The first half of storing: what the messages mean for files is decided and noted in one transaction with the inbox
 * (I5): whose content is claimed, and which path each file that is due will have. Nothing is moved yet.
 */
export async function recordStamps(
  database: Pick<Database, 'transaction' | 'schema'>,
  messages: readonly (StampMessage | RefusalMessage)[],
  now: () => Date = () => new Date(),
): Promise<Recorded> {
  return await decideInTransaction(database, async (client) => {
    const unseen = await claimMessages(
      client,
      consumerName,
      messages.map((message) => message.id),
    );
    const fresh = messages.filter((message) => unseen.delete(message.id));
    const discards: string[] = [];
    const byStamp = new Map<string, StampMessage[]>();
    for (const message of fresh)
      if (message.type === 'StampRequestRefused') {
        if (message.data.content !== null) discards.push(message.data.content.stagedId);
      } else {
        const { stampId } = message.data;
        byStamp.set(stampId, [...(byStamp.get(stampId) ?? []), message]);
      }
    const before = await readStamps(client, [...byStamp.keys()]);
    const failed: { stampId: string; fault: string }[] = [];
    const confirmations: { stampId: string; confirmation: Confirmation; isFirst: boolean }[] = [];
    const claims: { stampId: string; claim: Claim }[] = [];
    const unclaimed: string[] = [];
    const unstorable: string[] = [];
    /** What had no event yet, since too little was known of a stamp that was not confirmed. */
    const failedBefore: string[] = [];
    const plans: Plan[] = [];
    for (const [stampId, stampMessages] of byStamp) {
      const known = before.get(stampId) ?? unknownStamp;
      const { state, planned, discards: dropped, faults } = followStamp(known, stampMessages);
      discards.push(...dropped);
      for (const fault of faults) failed.push({ stampId, fault });
      if (state.file === 'failed' && known.file !== 'failed') unstorable.push(stampId);
      if (state.confirmation !== null && state.confirmation !== known.confirmation)
        confirmations.push({ stampId, confirmation: state.confirmation, isFirst: known.confirmation === null });
      if (known.file === 'failed' && known.confirmation === null && state.confirmation !== null)
        failedBefore.push(stampId);
      if (known.claim !== null && state.claim?.stagedId !== known.claim.stagedId) unclaimed.push(stampId);
      if (state.claim !== null && state.claim.stagedId !== known.claim?.stagedId)
        claims.push({ stampId, claim: state.claim });
      if (planned !== null && state.claim !== null && state.confirmation !== null)
        plans.push({
          stampId,
          claim: state.claim,
          confirmation: state.confirmation,
          announcement: planned,
          came: 'with-stamp',
        });
    }
    await insertConfirmations(
      client,
      confirmations.filter(({ isFirst }) => isFirst),
    );
    await saveConfirmations(
      client,
      confirmations.filter(({ isFirst }) => !isFirst),
    );
    await dropClaims(client, unclaimed);
    await saveClaims(client, claims);
    for (const lost of await planFiles(client, plans)) {
      failed.push(lost);
      unstorable.push(lost.stampId);
      discards.push(lost.stagedId);
    }
    const lost = [...(await saveFailed(client, unstorable)), ...(await readFailed(client, failedBefore))];
    await appendEvents(
      client,
      database.schema,
      lost.map((file) => fileFailed(file, now())),
    );
    return { discards, failed };
  });
}
