import type { Registry } from 'prom-client';
import { type Observe, weightedHistograms } from './weighted-histogram.ts';

/** The stages of a stamp, with the start and end of each; the source for docs/metrics.md. */
export const stages = {
  accept: 'from the request, its body read, until its command is durable in Kafka',
  decide: 'from the request until stamping has decided what becomes of it',
  batch: 'from waiting for a batch until a batch with the stamp is signed',
  broadcast: 'from signing until a node has the transaction',
  index: 'from the time of a block until the indexer has stored it; of its commitments',
  block: 'from signing until stamping has read the block with the stamp',
  confirm: 'from the time of the block until the stamp is confirmed at the configured depth',
  reply: 'from recording outcomes until they are sent to the gateways that wait',
  finalize: 'from signing until the block of the stamp is final',
  store: 'from the confirmation until the content is at its final path',
  project: 'from the time of a block until verify finds its commitments',
  publish: 'from recording an event until it is in Kafka',
  publish_public: 'from appending a public event to the log until it is on the public topic',
} as const;

export type Stage = keyof typeof stages;

/** In seconds: from immediate stages to the wait for finality. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];

/** How long the stages of stamps that a service sees take, one observation a stamp. */
export const stageDurations = <Name extends Stage>(
  metrics: Registry,
  names: readonly Name[],
): Readonly<Record<Name, Observe>> =>
  weightedHistograms(
    metrics,
    {
      name: 'indelible_stage_duration_seconds',
      help: 'Duration of the stages of stamps; an observation for each stamp, or event',
      label: 'stage',
      buckets,
    },
    names,
  );
