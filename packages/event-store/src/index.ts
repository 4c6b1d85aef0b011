export { appendEvents } from './append-events.ts';
export { claimMessages, findHandled } from './inbox.ts';
export { createInboxKeeper } from './inbox-keeper.ts';
export { eventStoreMigrations } from './migrations.ts';
export { type NewEvent, newEvent } from './new-event.ts';
export type { Outbox, OutboxItem, ReadBound } from './outbox.ts';
export { type Rebuildable, rebuildCommand } from './projections/command.ts';
export { passGate } from './projections/gate.ts';
export { type Projection, RebuildError, type Schemas, type Vanishing } from './projections/projection.ts';
export {
  type RebuildOptions,
  type RebuildResult,
  type RebuildStep,
  rebuild,
  rebuildSteps,
} from './projections/rebuild.ts';
export type { Progress, Source } from './projections/source.ts';
export { createTopicSource } from './projections/topic-source.ts';
export { createOutboxRelay, createRelay, type EventPublisher } from './relay.ts';
export { type Tended, tendInbox } from './tend-inbox.ts';
