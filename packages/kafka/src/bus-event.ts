import type { TopicName } from '@indelible/messages';

/** What the bus did, for counters: `retry` counts attempts of a batch, the others messages. */
export type BusEvent = {
  readonly kind: 'published' | 'consumed' | 'dead-letter' | 'retry';
  readonly topic: TopicName;
  readonly count: number;
};
