import type { FileStored } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import type { Announcement, Claim, Confirmation } from '../decisions/follow-stamp.ts';
import { candidatePaths } from '../decisions/stored-name.ts';
import { reservePaths } from '../tables/paths.ts';
import { savePending } from '../tables/pending-files.ts';
import { dropClaims } from '../tables/stamps.ts';

/** A file that is due: its content is claimed, its commitment confirmed. */
export type Plan = {
  readonly stampId: string;
  readonly claim: Claim;
  readonly confirmation: Confirmation;
  readonly announcement: Announcement;
  readonly came: FileStored['came'];
};

/** Reserves paths for due files and records them as pending; returns those that can have none. */
export async function planFiles(
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
