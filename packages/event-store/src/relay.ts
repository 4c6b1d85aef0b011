import { setTimeout as delay } from 'node:timers/promises';
import { failpoint } from '@indelible/failpoints';
import type { MessageContract } from '@indelible/messages';
import { createLeadership, type Database } from '@indelible/postgres';
import { type Component, isRetryable, type Logger } from '@indelible/service-runtime';
import { relayChannel } from './append-events.ts';
import { keptEvents, type Outbox, passingEvents, type RecordedEvent } from './relay-queries.ts';

/** What the relay needs of a broker: all messages durable when it resolves, in order per key. */
export type EventPublisher = {
  publish(
    messages: readonly {
      readonly contract: MessageContract;
      readonly data: never;
      readonly id: string;
      readonly time: string;
      readonly requestId?: string;
      readonly traceparent?: string;
    }[],
  ): Promise<void>;
};

const batchSize = 1_000;
/** While an older transaction still runs, newer events wait below it; it is asked for again this soon. */
const overtakenDelayMs = { first: 2, most: 100 };

/**
 * Publishes a schema's events in commit order, at least once: a crash between publishing and noting repeats messages
 * under their former ids, which every inbox drops (I5). One replica leads; it sleeps until an append wakes it.
 * @param prunePublished for schemas whose events are no source of truth of their own: rows go once they are published,
 *   no transaction elsewhere holds them back, and only a stream's own order is kept
 */
export function createRelay(options: {
  readonly database: Database;
  readonly publisher: EventPublisher;
  readonly contracts: readonly MessageContract[];
  readonly logger: Logger;
  readonly prunePublished?: boolean;
}): Component {
  const { database, publisher, logger } = options;
  const outbox: Outbox = options.prunePublished === true ? passingEvents(database) : keptEvents(database);
  const contracts = new Map(options.contracts.map((contract) => [`${contract.type}.v${contract.version}`, contract]));
  const contractOf = (event: RecordedEvent): MessageContract => {
    const contract = contracts.get(`${event.type}.v${event.typeVersion}`);
    if (contract === undefined)
      throw new Error(`the relay of ${database.schema} knows no ${event.type}.v${event.typeVersion}`);
    return contract;
  };

  async function publishNext(): Promise<number> {
    const events = await outbox.read(batchSize);
    if (events.length === 0) return 0;
    await publisher.publish(
      events.map((event) => ({
        contract: contractOf(event),
        data: event.data as never,
        id: event.messageId,
        time: event.recordedAt.toISOString(),
        ...(event.requestId === null ? {} : { requestId: event.requestId }),
        ...(event.traceparent === null ? {} : { traceparent: event.traceparent }),
      })),
    );
    failpoint('relay.published');
    await outbox.published(events);
    return events.length;
  }

  const leadership = createLeadership({
    url: database.url,
    name: `${database.schema}.relay`,
    logger,
    async lead(session, signal) {
      let woken = Promise.withResolvers<void>();
      session.on('notification', () => woken.resolve());
      signal.addEventListener('abort', () => woken.resolve(), { once: true });
      await session.query(`listen "${relayChannel(database.schema)}"`);
      let pause: number = overtakenDelayMs.first;
      while (!signal.aborted) {
        woken = Promise.withResolvers();
        if (signal.aborted) return;
        try {
          if ((await publishNext()) > 0) {
            pause = overtakenDelayMs.first;
            continue;
          }
          if (await outbox.hasMore()) {
            await Promise.race([woken.promise, delay(pause, undefined, { signal }).catch(() => {})]);
            pause = Math.min(pause * 2, overtakenDelayMs.most);
            continue;
          }
        } catch (error) {
          if (signal.aborted) return;
          logger.warn({ error, retryable: isRetryable(error) }, 'events could not be published; trying again');
          await delay(500, undefined, { signal }).catch(() => {});
          continue;
        }
        await woken.promise;
      }
    },
  });
  return { ...leadership, name: `relay of ${database.schema}` };
}
