import type { Logger } from '@indelible/service-runtime';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { NewEvent } from './decisions/event-of.ts';

export type Telemetry = {
  projected(events: readonly NewEvent[]): void;
  published(events: number): void;
};

/** Each business event's log line and metric, together. */
export function createTelemetry(
  logger: Logger,
  metrics: Registry,
  now: { readonly lag: () => number; readonly oldestUnpublished: () => Promise<number> },
): Telemetry {
  const registers = [metrics];
  const projected = new Counter({
    name: 'indelible_notifications_events_total',
    help: 'Public events appended to the log, by type',
    labelNames: ['type'],
    registers,
  });
  const published = new Counter({
    name: 'indelible_notifications_published_total',
    help: 'Records published to the public topic; those that are published again count again',
    registers,
  });
  new Gauge({
    name: 'indelible_notifications_consumer_lag_messages',
    help: 'Messages not yet handled by this replica',
    registers,
    collect() {
      this.set(now.lag());
    },
  });
  new Gauge({
    name: 'indelible_notifications_oldest_unpublished_seconds',
    help: 'Age of the oldest event that is not on the public topic, those that are held back among them; 0 without one',
    registers,
    async collect() {
      // An unreachable database has alarms of its own, and the other metrics are wanted all the more.
      this.set(await now.oldestUnpublished().catch(() => Number.NaN));
    },
  });
  return {
    projected(events) {
      if (events.length === 0) return;
      const counts = new Map<string, number>();
      for (const { event } of events) counts.set(event.name, (counts.get(event.name) ?? 0) + 1);
      for (const [type, count] of counts) projected.inc({ type }, count);
      logger.debug({ events: events.length }, 'Events projected');
    },
    published: (events) => published.inc(events),
  };
}
