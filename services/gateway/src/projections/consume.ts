import { claimMessages, passGate } from '@indelible/event-store';
import { type Consumer, type IncomingMessage, type MessageBus, mergePartitions } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';
import type { Component } from '@indelible/service-runtime';
import { collectionMessages, projectCollections } from './collections.ts';

const group = 'gateway';
export const inboxName = group;
/** The projection can be swapped for a rebuilt one. */
export const collectionsGate = 'gateway.collections';

/** Keeps the gateway's read model: each message takes effect once, with its inbox row (I5). */
export function createProjections(options: {
  readonly bus: Pick<MessageBus, 'createConsumer'>;
  readonly database: Database;
  readonly fail: (error: unknown) => void;
}): Component {
  const consumer: Consumer = options.bus.createConsumer({
    groupId: group,
    contracts: collectionMessages,
    concurrency: 8,
    handle: mergePartitions((messages) => project(options.database, messages)),
  });
  consumer.onFatal(options.fail);
  return { name: 'projections', start: consumer.start, stop: consumer.stop, ready: consumer.ready };
}

/** One transaction a batch. */
async function project(database: Database, messages: readonly IncomingMessage[]): Promise<void> {
  await database.transaction(async (client) => {
    await passGate(client, collectionsGate);
    const unseen = await claimMessages(
      client,
      inboxName,
      messages.map((message) => message.id),
    );
    const fresh = messages.filter((message) => unseen.delete(message.id));
    if (fresh.length > 0) await projectCollections(client, fresh);
  });
}
