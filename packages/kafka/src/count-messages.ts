import { Counter, type Registry } from 'prom-client';
import type { BusEvent } from './bus-event.ts';

/** Counts what a bus does, for its `onEvent`: a dead letter is to be alerted of, and replayed once its cause is mended. */
export function countMessages(metrics: Registry): (event: BusEvent) => void {
  const messages = new Counter({
    name: 'indelible_messages_total',
    help: 'Messages published, consumed and put into dead-letter topics, and attempts repeated',
    labelNames: ['kind', 'topic'],
    registers: [metrics],
  });
  return ({ kind, topic, count }) => messages.inc({ kind, topic }, count);
}
