import { appendEvents } from '@indelible/event-store';
import type { AddressedReply } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { failpoint } from '@indelible/service-runtime';
import {
  type ConfirmedCollection,
  type ConfirmedStamp,
  eventsOfCollections,
  eventsOfStamps,
  repliesOfCollections,
  repliesOfStamps,
} from '../decisions/report-confirmed.ts';
import { schema } from '../schema.ts';
import { takeCollectionRequests } from './collection-queries.ts';
import { takeJoinedRequests } from './joined-requests.ts';

/**
 * Records events for stamps and collections already marked confirmed and created, and replies to the requests that
 * wait. Those are taken last: another request may join a stamp until its row is written.
 * @param traceOf the context of a confirmation in the trace of its stamp's decision
 */
export async function recordConfirmed(
  client: Client,
  chainId: number,
  confirmed: { readonly stamps: readonly ConfirmedStamp[]; readonly collections: readonly ConfirmedCollection[] },
  traceOf: (traceparent: string) => string,
): Promise<readonly AddressedReply[]> {
  const { stamps, collections } = confirmed;
  await appendEvents(client, schema, [
    ...eventsOfCollections(collections, chainId),
    ...eventsOfStamps(stamps, traceOf),
  ]);
  const joined = await takeJoinedRequests(
    client,
    stamps.map(({ stampId }) => stampId),
  );
  if (stamps.length > 0) failpoint('stamping.confirming');
  return [...(await answerCollections(client, collections)), ...repliesOfStamps(stamps, joined)];
}

/** Records events for collections already marked created, and replies to waiting requests. */
export async function recordCollections(
  client: Client,
  chainId: number,
  collections: readonly ConfirmedCollection[],
): Promise<readonly AddressedReply[]> {
  await appendEvents(client, schema, eventsOfCollections(collections, chainId));
  return answerCollections(client, collections);
}

async function answerCollections(
  client: Client,
  collections: readonly ConfirmedCollection[],
): Promise<readonly AddressedReply[]> {
  const waiting = await takeCollectionRequests(
    client,
    collections.map(({ collectionId }) => collectionId),
  );
  return repliesOfCollections(collections, waiting);
}
