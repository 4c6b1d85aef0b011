export { type Rebuildable, rebuildCommand } from './command.ts';
export { passGate } from './gate.ts';
export { type Projection, RebuildError, type Schemas, type Vanishing } from './projection.ts';
export { type RebuildOptions, type RebuildResult, type RebuildStep, rebuild, rebuildSteps } from './rebuild.ts';
export type { Progress, Source } from './source.ts';
export { createTopicSource } from './topic-source.ts';
