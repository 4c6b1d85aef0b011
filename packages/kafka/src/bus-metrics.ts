import { Counter, Gauge, type Registry } from 'prom-client';
import type { BusEvent } from './bus-event.ts';
import type { Consumer } from './consumer.ts';

type Watched = Pick<Consumer, 'oldestUnhandledMs' | 'lags'>;

/** The metrics of a bus: one set of names for every service. */
export const createBusMetrics = (registry: Registry) => {
  const consumers = new Map<Watched, string>();
  const registers = [registry];
  const messages = new Counter({
    name: 'indelible_messages_total',
    help: 'Messages published, consumed and skipped, and attempts repeated',
    labelNames: ['kind', 'topic'],
    registers,
  });
  const deadLetters = new Counter({
    name: 'indelible_dead_letters_total',
    help: 'Messages put into the dead-letter topic of their topic since this process started',
    labelNames: ['topic'],
    registers,
  });
  new Gauge({
    name: 'indelible_consumer_oldest_unhandled_seconds',
    help: 'Age of the oldest message that a consumer group has in hand and has not handled; 0 without one',
    labelNames: ['group', 'topic'],
    registers,
    collect() {
      for (const [consumer, group] of consumers)
        for (const [topic, ms] of consumer.oldestUnhandledMs()) this.set({ group, topic }, ms / 1000);
    },
  });
  new Gauge({
    name: 'indelible_consumer_lag_messages',
    help: 'Messages that a consumer group has not handled, of the partitions of this replica, as of their last fetch',
    labelNames: ['group', 'topic'],
    registers,
    collect() {
      for (const [consumer, group] of consumers)
        for (const [topic, lag] of consumer.lags()) this.set({ group, topic }, lag);
    },
  });
  return {
    count: ({ kind, topic, count }: BusEvent): void =>
      kind === 'dead-letter' ? deadLetters.inc({ topic }, count) : messages.inc({ kind, topic }, count),
    watch(group: string, consumer: Watched): void {
      consumers.set(consumer, group);
      // An alert on a rise needs a number to rise from.
      for (const topic of consumer.lags().keys()) deadLetters.inc({ topic }, 0);
    },
  };
};
