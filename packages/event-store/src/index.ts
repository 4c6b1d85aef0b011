export { appendEvents, type NewEvent, newEvent } from './append-events.ts';
export { claimMessages, findHandled } from './inbox.ts';
export { createInboxKeeper } from './inbox-keeper.ts';
export { eventStoreMigrations } from './migrations.ts';
export type { Outbox, OutboxItem, ReadBound } from './outbox.ts';
export { createOutboxRelay, createRelay, type EventPublisher } from './relay.ts';
export { type Tended, tendInbox } from './tend-inbox.ts';
