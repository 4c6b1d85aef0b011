import { claimMessages } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import {
  type BatchContext,
  type Consumer,
  type IncomingMessage,
  isMessage,
  type MessageBus,
  mergePartitions,
} from '@indelible/kafka';
import { StampConfirmed, StampConfirmedV2 } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { passGate } from '@indelible/projections';
import type { Component } from '@indelible/service-runtime';
import { collectionMessages, projectCollections } from './collections.ts';
import { stampMessages } from './stamp-facts.ts';
import { projectStamps } from './stamps.ts';

const group = 'gateway';
/** The inbox name of both projections: message ids are unique over all topics. */
export const inboxName = group;
/** Each projection can be swapped for one made anew while the other goes on. */
export const stampsGate = 'gateway.stamps';
export const collectionsGate = 'gateway.collections';

/** Keeps the gateway's read models: each message takes effect once, with its inbox row (I5). */
export function createProjections(options: {
  readonly bus: Pick<MessageBus, 'createConsumer'>;
  readonly database: Database;
  readonly fail: (error: unknown) => void;
  /** Told of accounts whose stamps are on the chain: their grant is, too. */
  readonly grantsSeen: (accounts: ReadonlySet<Hex>) => void;
}): Component {
  const consumer: Consumer = options.bus.createConsumer({
    groupId: group,
    contracts: [...stampMessages, ...collectionMessages],
    concurrency: 8,
    handle: mergePartitions(async (messages, context) => {
      await project(options.database, messages, context);
      const confirmed = messages.filter(
        (message) => isMessage(message, StampConfirmed) || isMessage(message, StampConfirmedV2),
      );
      if (confirmed.length > 0) options.grantsSeen(new Set(confirmed.map((message) => message.data.receipt.account)));
    }),
  });
  consumer.onFatal(options.fail);
  return { name: 'projections', start: consumer.start, stop: consumer.stop, ready: consumer.ready };
}

/** One transaction a batch, which is of one topic. */
async function project(
  database: Database,
  messages: readonly IncomingMessage[],
  context: Pick<BatchContext, 'topic'>,
): Promise<void> {
  const ofCollections = context.topic === 'events.collections';
  await database.transaction(async (client) => {
    await passGate(client, ofCollections ? collectionsGate : stampsGate);
    const unseen = await claimMessages(
      client,
      inboxName,
      messages.map((message) => message.id),
    );
    const fresh = messages.filter((message) => unseen.delete(message.id));
    if (fresh.length === 0) return;
    if (ofCollections) await projectCollections(client, fresh);
    else await projectStamps(client, fresh);
  });
}
