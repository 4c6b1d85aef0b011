import type { Scenario } from './scenario.ts';
import { accept } from './scenarios/accept.ts';
import { atRest } from './scenarios/at-rest.ts';
import { growthStamps } from './scenarios/growth-stamps.ts';
import { memoryUpload } from './scenarios/memory-upload.ts';
import { stampCosts } from './scenarios/stamp-costs.ts';
import { stampsBatch } from './scenarios/stamps-batch.ts';
import { stampsClosedLoop } from './scenarios/stamps-closed-loop.ts';
import { stampsEndurance } from './scenarios/stamps-endurance.ts';
import { stampsOpenLoop } from './scenarios/stamps-open-loop.ts';
import { verifyLookup } from './scenarios/verify-lookup.ts';
import { verifyMatching } from './scenarios/verify-matching.ts';

export const scenarios: readonly Scenario[] = [
  accept,
  stampsClosedLoop,
  stampsBatch,
  stampsOpenLoop,
  stampCosts,
  verifyMatching,
  growthStamps,
  verifyLookup,
  memoryUpload,
  atRest,
  stampsEndurance,
];

/** What a stamp costs and how fast it is: 25 minutes at most on a calm machine of two cores, without `--large`. */
export const hotPath: readonly string[] = scenarios.slice(0, 7).map(({ name }) => name);
