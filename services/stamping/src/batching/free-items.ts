import type { AddressedReply, Refusal } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { failStampsOfBatch } from '../confirming/fail-stamps.ts';
import {
  collectionRefused,
  mostCollectionReverts,
  refuseCollectionRequests,
} from '../confirming/give-up-collections.ts';
import { freeCollections, putBackToWaiting } from './batch-queries.ts';

/** So often a stamp may be in a batch that was refused, whatever the reason: then it fails. */
const mostReverts = 10;

/** The batch's collections wait for another one; those that were refused too often are given up, and the callers get the reason (I6). */
export async function freeOrGiveUpCollections(
  client: Client,
  batchId: string,
  afterRevert: boolean,
): Promise<readonly AddressedReply[]> {
  const freed = await freeCollections(client, batchId, afterRevert);
  const givenUp = freed.filter(({ reverts }) => reverts >= mostCollectionReverts).map(({ id }) => id);
  return refuseCollectionRequests(client, givenUp, collectionRefused);
}

/**
 * The stamps of a batch that was refused wait for a smaller one. One that was alone fails, with the reason, when it can never be
 * on the chain or was refused too often (I6).
 * @param refused.forGood whether the stamp's own batch would be refused again, if it was alone in it
 */
export async function freeOrFailStamps(
  client: Client,
  batchId: string,
  refused: { readonly stamps: number; readonly reverts: number; readonly forGood: boolean },
): Promise<{ readonly waiting: number; readonly replies: readonly AddressedReply[] }> {
  const { stamps, reverts, forGood } = refused;
  if (stamps === 1 && (forGood || reverts + 1 >= mostReverts)) {
    const refusal: Refusal = { code: 'stamp-failed', message: 'the chain refused the commitment' };
    return { waiting: 0, replies: await failStampsOfBatch(client, batchId, refusal) };
  }
  return { waiting: await putBackToWaiting(client, batchId, true), replies: [] };
}
