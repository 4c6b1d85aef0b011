import { claimMessages } from '@indelible/event-store';
import type { Client, Database } from '@indelible/postgres';
import { decideInTransaction } from '@indelible/postgres';
import {
  type Announcement,
  type Claim,
  type Confirmation,
  followStamp,
  type RefusalMessage,
  type StampMessage,
  unknownStamp,
} from '../decisions/follow-stamp.ts';
import { candidatePaths } from '../decisions/stored-name.ts';
import { saveFailed, savePending } from '../tables/files.ts';
import { reservePaths } from '../tables/paths.ts';
import { dropClaims, readStamps, saveClaims, saveConfirmations } from '../tables/stamps.ts';

/** The inbox name. */
export const consumerName = 'storage';

export type Recorded = {
  /** Staged content that is nobody's since this transaction: to be discarded, or swept later. */
  readonly discards: readonly string[];
  readonly failed: readonly { readonly stampId: string; readonly fault: string }[];
};

type Plan = { stampId: string; claim: Claim; confirmation: Confirmation; announcement: Announcement };

/**
 * The first half of storing: what the messages mean for files is decided and noted in one transaction with the inbox
 * (I5): whose content is claimed, and which path each file that is due will have. Nothing is moved yet.
 */
export async function recordStamps(
  database: Pick<Database, 'transaction'>,
  messages: readonly (StampMessage | RefusalMessage)[],
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
    const confirmations: { stampId: string; confirmation: Confirmation }[] = [];
    const claims: { stampId: string; claim: Claim }[] = [];
    const unclaimed: string[] = [];
    const unstorable: string[] = [];
    const plans: Plan[] = [];
    for (const [stampId, stampMessages] of byStamp) {
      const known = before.get(stampId) ?? unknownStamp;
      const { state, planned, discards: dropped, faults } = followStamp(known, stampMessages);
      discards.push(...dropped);
      for (const fault of faults) failed.push({ stampId, fault });
      if (state.file === 'failed' && known.file !== 'failed') unstorable.push(stampId);
      if (state.confirmation !== null && state.confirmation !== known.confirmation)
        confirmations.push({ stampId, confirmation: state.confirmation });
      if (known.claim !== null && state.claim?.stagedId !== known.claim.stagedId) unclaimed.push(stampId);
      if (state.claim !== null && state.claim.stagedId !== known.claim?.stagedId)
        claims.push({ stampId, claim: state.claim });
      if (planned !== null && state.claim !== null && state.confirmation !== null)
        plans.push({ stampId, claim: state.claim, confirmation: state.confirmation, announcement: planned });
    }
    await saveConfirmations(client, confirmations);
    await dropClaims(client, unclaimed);
    await saveClaims(client, claims);
    for (const lost of await plan(client, plans)) {
      failed.push(lost);
      unstorable.push(lost.stampId);
      discards.push(lost.stagedId);
    }
    await saveFailed(client, unstorable);
    return { discards, failed };
  });
}

/** Reserves the paths of files that are due and notes them as pending; answers those that can have none. */
async function plan(
  client: Client,
  plans: readonly Plan[],
): Promise<{ stampId: string; stagedId: string; fault: string }[]> {
  if (plans.length === 0) return [];
  const lost: { stampId: string; stagedId: string; fault: string }[] = [];
  const requests = plans.flatMap(({ stampId, claim, confirmation }) => {
    const candidates = candidatePaths({ ...confirmation, fileName: claim.fileName });
    if (!('fault' in candidates)) return [{ stampId, objectCid: confirmation.objectCid, candidates, from: 0 }];
    lost.push({ stampId, stagedId: claim.stagedId, fault: candidates.fault });
    return [];
  });
  const paths = await reservePaths(client, requests);
  const pending = plans.flatMap((due) => {
    const path = paths.get(due.stampId);
    if (path !== undefined) return [{ ...due, path }];
    if (!lost.some(({ stampId }) => stampId === due.stampId))
      lost.push({ stampId: due.stampId, stagedId: due.claim.stagedId, fault: 'every name it may have is taken' });
    return [];
  });
  await savePending(client, pending);
  await dropClaims(
    client,
    lost.map(({ stampId }) => stampId),
  );
  return lost;
}
