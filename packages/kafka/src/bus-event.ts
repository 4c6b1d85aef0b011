import type { TopicName } from '@indelible/messages';

/**
 * What the bus did, for counters: `retry` counts attempts of a batch, the others messages. `skipped` are records of an
 * event topic of a type unknown to this release.
 */
export type BusEvent = {
  readonly kind: 'published' | 'consumed' | 'dead-letter' | 'retry' | 'skipped';
  readonly topic: TopicName;
  readonly count: number;
};
