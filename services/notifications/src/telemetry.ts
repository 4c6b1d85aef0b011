import type { Logger } from '@indelible/service-runtime';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { NewEvent } from './decisions/event-of.ts';
import type { Attempted } from './decisions/webhook-retries.ts';
import type { Webhook } from './tables/webhook-row.ts';
import type { Lane } from './webhooks/lane.ts';

export type Telemetry = {
  projected(events: readonly NewEvent[]): void;
  published(events: number): void;
  /** An attempt at a webhook, and its delivery's new state. @param url undefined when it could not be opened */
  attempted(
    webhookId: string,
    url: string | undefined,
    outcome: 'delivered' | 'waiting' | 'failed',
    attempted: Attempted,
  ): void;
  webhookDisabled(webhook: Pick<Webhook, 'webhookId' | 'account'>, url: string | undefined): void;
};

/** Each business event's log line and metric, together. */
export function createTelemetry(
  logger: Logger,
  metrics: Registry,
  now: {
    readonly lanes: () => Iterable<Lane>;
  },
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
  const attempts = new Counter({
    name: 'indelible_notifications_webhook_attempts_total',
    help: 'Requests to webhooks, by what their delivery is then: delivered, waiting for a further attempt, failed',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'indelible_notifications_webhook_attempt_duration_seconds',
    help: 'How long receivers of webhooks take to answer an attempt, or to fail it',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers,
  });
  for (const outcome of ['delivered', 'waiting', 'failed']) attempts.inc({ outcome }, 0);
  const disabled = new Counter({
    name: 'indelible_notifications_webhooks_disabled_total',
    help: 'Webhooks that were disabled because nothing could be delivered',
    registers,
  });
  new Gauge({
    name: 'indelible_notifications_webhook_deliveries_waiting',
    help: 'Deliveries that wait for a further attempt; 0 in a replica that does not lead',
    registers,
    collect() {
      this.set(sum([...now.lanes()].map((lane) => lane.waiting())));
    },
  });
  new Gauge({
    name: 'indelible_notifications_webhook_oldest_seconds',
    help: 'Age of the oldest event that an enabled webhook has not received and that has not failed; 0 without one',
    registers,
    collect() {
      const times = [...now.lanes()].map((lane) => lane.oldest() ?? Number.POSITIVE_INFINITY);
      const oldest = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      this.set(oldest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, Date.now() - oldest) / 1_000);
    },
  });
  return {
    attempted(webhookId, url, outcome, { attempt }) {
      attempts.inc({ outcome });
      const { status, error, durationMs } = attempt;
      durations.observe(durationMs / 1_000);
      // Only its host: path and query of a URL may hold secrets.
      const fields = { webhookId, host: hostOf(url), status, reason: error, durationMs };
      if (outcome === 'failed') logger.warn(fields, 'Webhook delivery failed for good');
      else logger.debug({ ...fields, outcome }, 'Webhook attempted');
    },
    webhookDisabled({ webhookId, account }, url) {
      disabled.inc();
      logger.warn({ webhookId, account, host: hostOf(url) }, 'Webhook disabled');
    },
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

const hostOf = (url: string | undefined): string | undefined => url && new URL(url).host;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
