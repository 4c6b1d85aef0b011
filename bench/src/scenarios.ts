import type { Scenario } from './scenario.ts';
import { indexerCatchUp } from './scenarios/indexer-catch-up.ts';
import { memoryUpload } from './scenarios/memory-upload.ts';
import { memoryVerify } from './scenarios/memory-verify.ts';
import { verifyMatching } from './scenarios/verify-matching.ts';

export const scenarios: readonly Scenario[] = [indexerCatchUp, memoryUpload, memoryVerify, verifyMatching];
