import { appendEvents, claimMessages, type NewEvent } from '@indelible/event-store';
import { cidOfCollectionName, foldName, type Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { AddressedReply, CreateCollection, Refusal } from '@indelible/messages';
import { type Database, decideInTransaction } from '@indelible/postgres';
import { loadUnserviceable } from '../accounts/unserviceable-accounts.ts';
import { tryCollectionAgain } from '../confirming/give-up-collections.ts';
import { decideCollection } from '../decisions/decide-collection.ts';
import { refuseText } from '../decisions/storable-text.ts';
import { schema } from '../schema.ts';
import { announceWork } from '../work-channel.ts';
import {
  insertCollectionRequests,
  insertCollections,
  loadCollections,
  type NewCollection,
  registeredEvent,
} from './collection-queries.ts';
import { consumer, type RequestOutcome, requestIdsOf, traceparentsOf } from './handle-stamp-requests.ts';
import type { Intake } from './intake.ts';

/**
 * Registers collections and records who waits for their creation on chain, in one transaction (I5). One request at a
 * time: collections are few, and each decision sees the ones before.
 */
export async function handleCollectionRequests(
  dependencies: { readonly database: Database; readonly intake: Intake },
  messages: readonly IncomingMessage<typeof CreateCollection>[],
): Promise<RequestOutcome> {
  const intake = await dependencies.intake.look();
  return decideInTransaction(dependencies.database, async (client) => {
    const unseen = await claimMessages(
      client,
      consumer,
      messages.map((message) => message.id),
    );
    const replies: AddressedReply[] = [];
    const events: NewEvent[] = [];
    /** Number of collections registered per account. */
    const added = new Map<Hex, number>();
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
      const invalid =
        unserviceable.get(account) ??
        refuseText('name', data.name) ??
        (data.description === null ? undefined : refuseText('description', data.description));
      if (invalid !== undefined) {
        refuse(invalid);
        continue;
      }
      const known = await loadCollections(client, [
        { account, folded: foldName(data.name), cid: data.cid ?? cidOfCollectionName(data.name) },
      ]);
      const decision = decideCollection(data, known, ({ id }) => (id === null ? undefined : known.stored(id)));
      switch (decision.kind) {
        case 'register': {
          const ofAccount = added.get(account) ?? 0;
          const closed = intake.refuse(data, ofAccount, counts.registered);
          if (closed !== undefined) {
            refuse(closed);
            break;
          }
          added.set(account, ofAccount + 1);
          const collection: NewCollection = { ...data, cid: decision.cid, registeredAt: data.requestedAt };
          const [collectionId] = (await insertCollections(client, [collection])) as [number];
          events.push(registeredEvent(collectionId, collection));
          await insertCollectionRequests(client, [{ requestId, collectionId, replyTo }]);
          counts.registered++;
          break;
        }
        case 'wait': {
          const collectionId = decision.collection.id as number;
          await tryCollectionAgain(client, collectionId);
          await insertCollectionRequests(client, [{ requestId, collectionId, replyTo }]);
          counts.waiting++;
          break;
        }
        case 'refuse':
          refuse(decision.refusal);
      }
    }
    await appendEvents(client, schema, events);
    if (events.length > 0 || counts.waiting > 0) await announceWork(client);
    return { requestIds: requestIdsOf(fresh), traceparents: traceparentsOf(fresh), replies, counts };
  });
}
