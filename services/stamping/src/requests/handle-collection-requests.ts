import { appendEvents, claimMessages, type NewEvent } from '@indelible/event-store';
import { cidOfCollectionName, foldName } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { CreateCollection, Refusal } from '@indelible/messages';
import { type Database, decideInTransaction } from '@indelible/postgres';
import type { AddressedReply } from '@indelible/replies';
import { loadUnserviceable } from '../accounts/unserviceable-accounts.ts';
import { decideCollection } from '../decisions/decide-collection.ts';
import { schema } from '../schema.ts';
import { announceWork } from '../work-channel.ts';
import {
  insertCollectionRequests,
  insertCollections,
  loadCollections,
  type NewCollection,
  registeredEvent,
} from './collection-queries.ts';
import { consumer, type RequestOutcome, requestIdsOf } from './handle-stamp-requests.ts';
import type { Intake } from './intake.ts';

/**
 * Registers collections and notes who waits for their creation on chain, in one transaction (I5). One request at a
 * time: collections are few, and each decision then sees the one before it.
 */
export async function handleCollectionRequests(
  dependencies: { readonly database: Database; readonly intake: Intake },
  messages: readonly IncomingMessage<typeof CreateCollection>[],
): Promise<RequestOutcome> {
  const closed = await dependencies.intake.closed();
  return decideInTransaction(dependencies.database, async (client) => {
    const unseen = await claimMessages(
      client,
      consumer,
      messages.map((message) => message.id),
    );
    const replies: AddressedReply[] = [];
    const events: NewEvent[] = [];
    const counts = { registered: 0, waiting: 0, refused: 0 };
    const fresh = messages.filter((message) => unseen.delete(message.id));
    const unserviceable = await loadUnserviceable(
      client,
      fresh.map(({ data }) => data.account),
    );
    for (const { data } of fresh) {
      const { account, requestId, replyTo } = data;
      const refuse = (refusal: Refusal): void => {
        counts.refused++;
        if (replyTo !== null) replies.push({ replyTo, reply: { requestId, kind: 'refused', refusal } });
      };
      const unservedFor = unserviceable.get(account);
      if (unservedFor !== undefined) {
        refuse(unservedFor);
        continue;
      }
      const known = await loadCollections(client, [
        { account, folded: foldName(data.name), cid: data.cid ?? cidOfCollectionName(data.name) },
      ]);
      const isCreated = (id: number | null): boolean => id !== null && known.stored(id)?.isCreated === true;
      const decision = decideCollection(data, known, (collection) => isCreated(collection.id));
      switch (decision.kind) {
        case 'register': {
          if (closed !== undefined) {
            refuse(closed);
            break;
          }
          const collection: NewCollection = { ...data, cid: decision.cid, registeredAt: data.requestedAt };
          const [collectionId] = (await insertCollections(client, [collection])) as [number];
          events.push(registeredEvent(collectionId, collection));
          await insertCollectionRequests(client, [{ requestId, collectionId, replyTo }]);
          counts.registered++;
          break;
        }
        case 'wait': {
          const collectionId = decision.collection.id as number;
          await insertCollectionRequests(client, [{ requestId, collectionId, replyTo }]);
          counts.waiting++;
          break;
        }
        case 'refuse':
          refuse(decision.refusal);
      }
    }
    await appendEvents(client, schema, events);
    if (events.length > 0) await announceWork(client);
    return { requestIds: requestIdsOf(fresh), replies, counts };
  });
}
