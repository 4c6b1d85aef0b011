import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { AddressedReply, Refusal } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { unserviceable } from '../accounts/unserviceable-accounts.ts';
import { takeCollectionRequests } from './collection-queries.ts';

/** Number of reverted batches after which a collection is given up; same limit as in the index of reverted batches. */
export const mostCollectionReverts = 10;

const mostAtOnce = 1_000;

export const collectionRefused: Refusal = { code: 'collection-refused', message: 'the chain refused the collection' };

/** Refuses the requests that wait for these collections; each gets one reply. */
export async function refuseCollectionRequests(
  client: Client,
  collectionIds: readonly number[],
  refusal: Refusal,
): Promise<readonly AddressedReply[]> {
  const waiting = await takeCollectionRequests(client, collectionIds);
  return waiting.flatMap(({ requestId, replyTo }) =>
    replyTo === null ? [] : [{ replyTo, reply: { requestId, kind: 'refused' as const, refusal } }],
  );
}

/**
 * Gives up collections, in no batch, of an account for which nothing can be stamped; none if it has granted again
 * meanwhile. They are recorded when requested again, or with a stamp.
 */
export async function giveUpCollections(
  client: Client,
  account: Hex,
  refusal: Refusal,
): Promise<{ readonly more: boolean; readonly replies: readonly AddressedReply[] }> {
  const waits = 'account = $1 and created_block is null and batch_id is null';
  const { rows } = await client.query<{ id: number }>({
    name: 'give-up-collections',
    text: `update collections set reverted_batches = ${mostCollectionReverts}
           where id = any(array(
               (select id from collections where ${waits} and reverted_batches = 0 order by account, id limit ${mostAtOnce})
               union all
               (select id from collections
                where ${waits} and reverted_batches > 0 and reverted_batches < ${mostCollectionReverts}
                order by reverted_batches, id limit ${mostAtOnce})))
             and ${waits} and exists (select from accounts a where a.account = $1 and ${unserviceable})
           returning id`,
    values: [bytesOfHex(account)],
  });
  const replies = await refuseCollectionRequests(
    client,
    rows.map(({ id }) => id),
    refusal,
  );
  return { more: rows.length >= mostAtOnce, replies };
}

/**
 * Retries a collection that was given up: alone, since it may be refused again. Locks it, so that a transaction that
 * gives it up meanwhile also replies to the request recorded next.
 */
export async function tryCollectionAgain(client: Client, collectionId: number): Promise<void> {
  await client.query({
    name: 'try-collection-again',
    text: `update collections set reverted_batches =
             case when reverted_batches >= ${mostCollectionReverts} then 1 else reverted_batches end
           where id = $1 and not is_created`,
    values: [collectionId],
  });
}
