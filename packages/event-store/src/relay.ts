import { setTimeout as delay } from 'node:timers/promises';
import type { MessageContract, StoredPack } from '@indelible/messages';
import { createLeadership, type Database } from '@indelible/postgres';
import {
  type Component,
  createOutageLog,
  type Logger,
  lookUp,
  PermanentError,
  settlesWithin,
  stageDurations,
  unknown,
} from '@indelible/service-runtime';
import { Gauge, type Registry } from 'prom-client';
import { relayChannel } from './append-events.ts';
import type { Outbox, OutboxItem } from './outbox.ts';
import { createSlicePublisher } from './publish-slices.ts';
import { packRowOf, type RecordedEvent } from './recorded-event.ts';
import { keptEvents, passingEvents } from './relay-queries.ts';

/** Events above the settled position are read again this soon. */
const overtakenDelayMs = { first: 2, most: 100 };
/**
 * Kept events are read at most this often: under load they share requests to Postgres, to Kafka and to each of its
 * readers. No client waits for them, and a single one is read at once.
 */
const keptRestMs = 25;
/** It polls this often without being woken: finds events whose notification was lost with a connection. */
const lookAgainMs = 5_000;
/** Held-back events are retried this often, and by each new leader. */
const retryHeldMs = 60_000;

/** What the relay needs of a broker: all messages durable when it resolves, in order per key. */
export type EventPublisher = {
  publishRecorded(messages: readonly (RelayedMessage | RelayedPack)[]): Promise<void>;
};

type Relayed = { readonly contract: MessageContract; readonly id: string; readonly time: string };
type RelayedMessage = Relayed & { readonly data: never; readonly requestId?: string; readonly traceparent?: string };
/** A record, encoded when its messages were recorded. */
type RelayedPack = Relayed & {
  readonly pack: Pick<StoredPack, 'key' | 'label' | 'messages'> & { readonly body: Buffer };
};

/**
 * Publishes a schema's events in the order of their positions, at least once: a crash between publishing and noting
 * repeats messages under their former ids, which every inbox drops (I5). One replica leads; it sleeps until an append
 * wakes it, or for a few seconds.
 * @param prunePublished for schemas whose events are no source of truth of their own: published rows are deleted, no
 *   other transaction delays them, and only the order within a stream is kept
 */
export function createRelay(options: {
  readonly database: Database;
  readonly publisher: EventPublisher;
  readonly contracts: readonly MessageContract[];
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly prunePublished?: boolean;
}): Component {
  const { database, publisher, logger, metrics } = options;
  const contracts = new Map(options.contracts.map((contract) => [`${contract.type}.v${contract.version}`, contract]));

  const messageOf = (event: RecordedEvent): RelayedMessage | RelayedPack => {
    const { type, typeVersion, requestId, traceparent } = event;
    const contract = contracts.get(`${type}.v${typeVersion}`);
    if (contract === undefined)
      throw new PermanentError(`the relay of ${database.schema} knows no ${type}.v${typeVersion}`);
    const message = { contract, id: event.messageId, time: event.recordedAt.toISOString() };
    const row = packRowOf(event);
    if (row !== undefined) {
      const { key, label, messages } = row.data;
      return { ...message, pack: { key, label, messages, body: row.record } };
    }
    return {
      ...message,
      data: event.data as never,
      ...(requestId === null ? {} : { requestId }),
      ...(traceparent === null ? {} : { traceparent }),
    };
  };

  return createOutboxRelay({
    database,
    channel: relayChannel(database.schema),
    ...(options.prunePublished === true
      ? { outbox: passingEvents(database) }
      : { outbox: keptEvents(database), restMs: keptRestMs }),
    publish: async (events) => publisher.publishRecorded(events.map(messageOf)),
    countOf: (event) => packRowOf(event)?.data.messages ?? 1,
    stage: 'publish',
    logger,
    metrics,
  });
}

/**
 * Publishes the events of an outbox, in order, at least once. One replica leads; notifications on `channel` wake it,
 * and it polls every few seconds.
 */
export function createOutboxRelay<Item extends OutboxItem>(options: {
  readonly database: Pick<Database, 'url' | 'schema'>;
  readonly channel: string;
  readonly outbox: Outbox<Item>;
  /** The least time between the starts of two reads, in ms. Default 0. */
  readonly restMs?: number;
  /** All are durable when it resolves, in order per stream. @throws a permanent error when one of them can never be published */
  readonly publish: (items: readonly Item[]) => Promise<void>;
  /** How many messages an item has; default one. */
  readonly countOf?: (item: Item) => number;
  /** Stage of the time from recording to publishing. */
  readonly stage: 'publish' | 'publish_public';
  readonly logger: Logger;
  readonly metrics: Registry;
}): Component & { leading(): boolean } {
  const { database, outbox, logger, metrics, stage, restMs = 0 } = options;
  const published = stageDurations(metrics, [stage])[stage];
  const slices = createSlicePublisher({
    schema: database.schema,
    outbox,
    publish: options.publish,
    onPublished(items) {
      const now = Date.now();
      for (const item of items) published((now - item.recordedAt.getTime()) / 1_000, options.countOf?.(item));
    },
    logger,
  });

  const outage = createOutageLog({
    logger,
    waitingFor: `Kafka or Postgres, to publish the events of ${database.schema} (KAFKA_BROKERS, DATABASE_URL)`,
  });
  const leadership = createLeadership({
    url: database.url,
    name: `${database.schema}.relay`,
    logger,
    async lead(session, signal) {
      let woken = Promise.withResolvers<void>();
      session.on('notification', () => woken.resolve());
      signal.addEventListener('abort', () => woken.resolve(), { once: true });
      await session.query(`listen "${options.channel}"`);
      let pause: number = overtakenDelayMs.first;
      let areHeldKnown = false;
      let heldRetriedAt = Number.NEGATIVE_INFINITY;
      const wokenOrAfter = (ms: number): Promise<boolean> => settlesWithin(ms, woken.promise);
      let readAt = Number.NEGATIVE_INFINITY;
      while (!signal.aborted) {
        const rest = readAt + restMs - performance.now();
        if (rest > 0) await delay(rest, undefined, { signal }).catch(() => {});
        readAt = performance.now();
        woken = Promise.withResolvers();
        if (signal.aborted) return;
        try {
          // Before publishing: unknown held-back events would be overtaken.
          if (!areHeldKnown) await slices.readHeldStreams();
          areHeldKnown = true;
          if (slices.isRetryDue() || performance.now() - heldRetriedAt >= retryHeldMs) {
            heldRetriedAt = performance.now();
            await slices.retryHeld(signal);
          }
          const events = await slices.publishNext(signal);
          outage.ended();
          if (events > 0) {
            pause = overtakenDelayMs.first;
            continue;
          }
          if (await outbox.hasMore()) {
            await wokenOrAfter(pause);
            pause = Math.min(pause * 2, overtakenDelayMs.most);
            continue;
          }
        } catch (error) {
          if (signal.aborted) return;
          outage.failed(error);
          await delay(500, undefined, { signal }).catch(() => {});
          continue;
        }
        await wokenOrAfter(lookAgainMs);
      }
    },
  });
  new Gauge({
    name: 'indelible_relay_held_streams',
    help: 'Streams that are held back since an event of theirs cannot be published; 0 on replicas that do not lead',
    labelNames: ['schema'],
    registers: [metrics],
    collect() {
      this.set({ schema: database.schema }, leadership.leading() ? slices.heldStreams() : 0);
    },
  });
  const oldest = lookUp(() => outbox.oldestSeconds());
  new Gauge({
    name: 'indelible_relay_oldest_unpublished_seconds',
    help: 'Age of the oldest event that is recorded and not in Kafka; 0 without one',
    labelNames: ['schema'],
    registers: [metrics],
    async collect() {
      this.set({ schema: database.schema }, (await oldest()) ?? unknown);
    },
  });
  return { ...leadership, name: `relay of ${database.schema}` };
}
