import { Counter, Gauge, type Registry } from 'prom-client';
import type { BusEvent } from './bus-event.ts';
import type { Consumer } from './consumer.ts';

/** The metrics of a bus: one set of names for every service. */
export const createBusMetrics = (registry: Registry) => {
  const consumers = new Map<Pick<Consumer, 'oldestUnhandledMs'>, string>();
  const messages = new Counter({
    name: 'indelible_messages_total',
    help: 'Messages published, consumed, skipped and put into dead-letter topics, and attempts repeated',
    labelNames: ['kind', 'topic'],
    registers: [registry],
  });
  new Gauge({
    name: 'indelible_consumer_oldest_unhandled_seconds',
    help: 'The age of the oldest message that a consumer group has in hand and has not handled; 0 when there is none',
    labelNames: ['group', 'topic'],
    registers: [registry],
    collect() {
      for (const [consumer, group] of consumers)
        for (const [topic, ms] of consumer.oldestUnhandledMs()) this.set({ group, topic }, ms / 1000);
    },
  });
  return {
    count: ({ kind, topic, count }: BusEvent): void => messages.inc({ kind, topic }, count),
    watch: (group: string, consumer: Pick<Consumer, 'oldestUnhandledMs'>): void => void consumers.set(consumer, group),
  };
};
