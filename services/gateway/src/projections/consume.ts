import { claimMessages, passGate } from '@indelible/event-store';
import { type Handle, mergePartitions } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';
import { projectCollections } from './collections.ts';

/** Of the consumer group and its inbox. */
export const consumerName = 'gateway';
/** The projection can be swapped for a rebuilt one. */
export const collectionsGate = 'gateway.collections';

/** Keeps the read model: each message takes effect once, with its inbox row (I5). One transaction a batch. */
export const handleCollections = (database: Pick<Database, 'transaction'>): Handle =>
  mergePartitions((messages) =>
    database.transaction(async (client) => {
      await passGate(client, collectionsGate);
      const ids = messages.map((message) => message.id);
      const unseen = await claimMessages(client, consumerName, ids);
      const fresh = messages.filter((message) => unseen.delete(message.id));
      if (fresh.length > 0) await projectCollections(client, fresh);
    }),
  );
