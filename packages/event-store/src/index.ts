export { appendEvents, type NewEvent, newEvent } from './append-events.ts';
export { claimMessages, findHandled, pruneInbox } from './inbox.ts';
export { createInboxKeeper } from './inbox-keeper.ts';
export { eventStoreMigrations } from './migrations.ts';
export { createRelay, type EventPublisher } from './relay.ts';
