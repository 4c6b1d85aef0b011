import type { Scenario } from './scenario.ts';
import { accept } from './scenarios/accept.ts';
import { atRest } from './scenarios/at-rest.ts';
import { eventsCost } from './scenarios/events-cost.ts';
import { eventsFanOut } from './scenarios/events-fan-out.ts';
import { eventsPublished } from './scenarios/events-published.ts';
import { gas } from './scenarios/gas.ts';
import { growthBatches } from './scenarios/growth-batches.ts';
import { growthCollections } from './scenarios/growth-collections.ts';
import { growthConsumers } from './scenarios/growth-consumers.ts';
import { growthReplicas } from './scenarios/growth-replicas.ts';
import { growthStamps } from './scenarios/growth-stamps.ts';
import { indexerCatchUp } from './scenarios/indexer-catch-up.ts';
import { memoryUpload } from './scenarios/memory-upload.ts';
import { memoryVerify } from './scenarios/memory-verify.ts';
import { stampCosts } from './scenarios/stamp-costs.ts';
import { stampingCpu } from './scenarios/stamping-cpu.ts';
import { stampsBatch } from './scenarios/stamps-batch.ts';
import { stampsClosedLoop } from './scenarios/stamps-closed-loop.ts';
import { stampsEndurance } from './scenarios/stamps-endurance.ts';
import { stampsOpenLoop } from './scenarios/stamps-open-loop.ts';
import { verifyLookup } from './scenarios/verify-lookup.ts';
import { verifyMatching } from './scenarios/verify-matching.ts';

export const scenarios: readonly Scenario[] = [
  accept,
  atRest,
  eventsCost,
  eventsFanOut,
  eventsPublished,
  gas,
  growthBatches,
  growthCollections,
  growthConsumers,
  growthReplicas,
  growthStamps,
  indexerCatchUp,
  memoryUpload,
  memoryVerify,
  stampCosts,
  stampsBatch,
  stampsClosedLoop,
  stampsEndurance,
  stampsOpenLoop,
  stampingCpu,
  verifyLookup,
  verifyMatching,
];
