import type { AddressedReply, Refusal } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { failStampsOfBatch } from '../confirming/fail-stamps.ts';
import {
  collectionRefused,
  mostCollectionReverts,
  refuseCollectionRequests,
} from '../confirming/give-up-collections.ts';
import { freeCollections, putBackToWaiting } from './batch-queries.ts';

/** How many refused batches, for any reason, a stamp may be in before it fails. */
const mostReverts = 10;

/** Returns the batch's collections to waiting; gives up those refused too often, and replies with the reason (I6). */
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
 * Returns the stamps of a refused batch to waiting, for a smaller one. A stamp that was alone fails, with the reason,
 * when it can never be on the chain or was refused too often (I6).
 * @param refused.forGood whether a batch of this stamp alone would be refused again
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
