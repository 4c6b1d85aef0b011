export { appendEvents, type NewEvent, newEvent } from './append-events.ts';
export { claimMessages, findHandled } from './inbox.ts';
export { createInboxKeeper } from './inbox-keeper.ts';
export { eventStoreMigrations } from './migrations.ts';
export type { EventPublisher } from './publish-slices.ts';
export { createRelay } from './relay.ts';
export { type Tended, tendInbox } from './tend-inbox.ts';
