import { setTimeout as delay } from 'node:timers/promises';
import type { MessageContract } from '@indelible/messages';
import { createLeadership, type Database } from '@indelible/postgres';
import { type Component, isRetryable, type Logger } from '@indelible/service-runtime';
import { Gauge, type Registry } from 'prom-client';
import { relayChannel } from './append-events.ts';
import { createSlicePublisher, type EventPublisher } from './publish-slices.ts';
import { keptEvents, type Outbox, passingEvents } from './relay-queries.ts';

/** While an older transaction still runs, newer events wait below it; it is asked for again this soon. */
const overtakenDelayMs = { first: 2, most: 100 };
/** It looks this often without being woken: what was announced on a connection that was just lost is found all the same. */
const lookAgainMs = 5_000;
/** Events that are held back are tried again this often, and by each new leader. */
const retryHeldMs = 60_000;

/**
 * Publishes a schema's events in commit order, at least once: a crash between publishing and noting repeats messages
 * under their former ids, which every inbox drops (I5). One replica leads; it sleeps until an append wakes it, or a few
 * seconds.
 * @param prunePublished for schemas whose events are no source of truth of their own: rows go once they are published,
 *   no transaction elsewhere holds them back, and only a stream's own order is kept
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
  const outbox: Outbox = options.prunePublished === true ? passingEvents(database) : keptEvents(database);
  const slices = createSlicePublisher({
    schema: database.schema,
    outbox,
    publisher,
    contracts: options.contracts,
    logger,
  });

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
      let heldRetriedAt = Number.NEGATIVE_INFINITY;
      const wokenOrAfter = (ms: number): Promise<void> => orAfter(woken.promise, ms);
      while (!signal.aborted) {
        woken = Promise.withResolvers();
        if (signal.aborted) return;
        try {
          if (performance.now() - heldRetriedAt >= retryHeldMs) {
            heldRetriedAt = performance.now();
            await slices.retryHeld(signal);
          }
          if ((await slices.publishNext(signal)) > 0) {
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
          logger.warn({ error, retryable: isRetryable(error) }, 'events could not be published; trying again');
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
    registers: [metrics],
    collect() {
      this.set(leadership.leading() ? slices.heldStreams() : 0);
    },
  });
  return { ...leadership, name: `relay of ${database.schema}` };
}

/** Resolves with the promise, or after the time. */
async function orAfter(promise: Promise<void>, ms: number): Promise<void> {
  const done = new AbortController();
  await Promise.race([promise, delay(ms, undefined, { signal: done.signal }).catch(() => {})]);
  done.abort();
}
