import { appendEvents, newEvent } from '@indelible/event-store';
import type { AddressedReply } from '@indelible/messages';
import { CollectionCreated, CollectionCreatedV1, StampConfirmed } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import type { Steps, Tracing } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import { collectionStream } from '../requests/collection-queries.ts';
import { schema } from '../schema.ts';
import { stampStream } from '../stamp-stream.ts';
import type { OpenOutcome } from './chain-outcome.ts';
import { type ConfirmedCollection, takeCollectionRequests } from './collection-queries.ts';
import { beginConfirming, type TracedBlock } from './confirmation-trace.ts';
import type { ConfirmedStamp } from './confirmed-stamps.ts';
import { takeJoinedRequests } from './joined-requests.ts';

/** Records that stamps are confirmed, and answers the requests that wait for them. */
export async function noteConfirmed(
  client: Client,
  confirmed: readonly ConfirmedStamp[],
  outcome: OpenOutcome,
  { tracing, block }: { readonly tracing: Tracing; readonly block: TracedBlock | undefined },
): Promise<void> {
  const steps = beginConfirming(tracing, confirmed, block);
  outcome.replies.push(...(await recordConfirmed(client, confirmed, steps)));
  outcome.steps.push(steps);
  if (confirmed.length > 0) failpoint('stamping.confirming');
  outcome.confirmed += confirmed.length;
  for (const { requestedAt, receipt } of confirmed)
    outcome.confirmations.push({ requestedAt, blockTime: receipt.blockTime });
  outcome.requestIds.push(...confirmed.flatMap(({ requestId }) => requestId ?? []));
  outcome.traceparents.push(...confirmed.flatMap(({ traceparent }) => traceparent ?? []));
}

async function recordConfirmed(
  client: Client,
  stamps: readonly ConfirmedStamp[],
  steps: Steps,
): Promise<readonly AddressedReply[]> {
  if (stamps.length === 0) return [];
  await appendEvents(
    client,
    schema,
    stamps.map(({ version, traceparent, collectionBlock: _block, requestedAt: _requestedAt, ...confirmed }) =>
      newEvent(StampConfirmed, confirmed, {
        stream: stampStream(confirmed.stampId),
        version,
        ...(confirmed.requestId === null ? {} : { requestId: confirmed.requestId }),
        ...(traceparent === null ? {} : { traceparent: steps.after(traceparent) }),
      }),
    ),
  );
  const byId = new Map(stamps.map((stamp) => [stamp.stampId, stamp]));
  const joined = await takeJoinedRequests(client, [...byId.keys()]);
  const confirmedReply = (stamp: ConfirmedStamp) => ({
    kind: 'confirmed' as const,
    stampId: stamp.stampId,
    receipt: stamp.receipt,
    collectionCreated: stamp.collectionBlock === stamp.receipt.blockNumber,
  });
  return [
    ...stamps.flatMap((stamp) =>
      stamp.replyTo === null
        ? []
        : [
            {
              replyTo: stamp.replyTo,
              reply: {
                ...confirmedReply(stamp),
                requestId: stamp.stampId,
                outcome: 'created' as const,
                awaitsFile: stamp.content !== null,
              },
            },
          ],
    ),
    ...joined.map(({ requestId, stampId, replyTo }) => ({
      replyTo,
      reply: {
        ...confirmedReply(byId.get(stampId) as ConfirmedStamp),
        requestId,
        outcome: 'repeated' as const,
        awaitsFile: false,
      },
    })),
  ];
}

/** Records that collections are created, and answers the requests that wait for them. */
export async function recordCollections(
  client: Client,
  chainId: number,
  collections: readonly ConfirmedCollection[],
): Promise<readonly AddressedReply[]> {
  if (collections.length === 0) return [];
  await appendEvents(
    client,
    schema,
    collections.map(({ version, blockHash, logIndex, ...created }) => {
      const to = { stream: collectionStream(created.collectionId), version };
      return blockHash === null
        ? newEvent(CollectionCreatedV1, { ...created, chainId }, to)
        : newEvent(CollectionCreated, { ...created, chainId, blockHash, logIndex }, to);
    }),
  );
  const byId = new Map(collections.map((collection) => [collection.collectionId, collection]));
  const waiting = await takeCollectionRequests(client, [...byId.keys()]);
  return waiting.flatMap(({ requestId, collectionId, replyTo }) => {
    const collection = byId.get(collectionId);
    if (replyTo === null || collection === undefined) return [];
    const { account, cid } = collection;
    return [{ replyTo, reply: { requestId, kind: 'collection-created' as const, collectionId, account, cid } }];
  });
}
