import type { TopicName } from './contract.ts';

/**
 * What happens to a readable message that cannot be handled, whatever is tried.
 *
 * - `set-aside`: it becomes a dead letter, and those behind it continue. Messages behind it may be handled before it,
 *   to find out whether only this message fails or everything.
 * - `set-aside-in-order`: the same, but nothing is handled before it: it becomes a dead letter when messages of other
 *   partitions succeed while it fails. Until then its partition waits.
 * - `hold`: it is retried forever and its partition waits, while others continue; readiness and
 *   `indelible_consumer_oldest_unhandled_seconds` show it. For topics in which a message has no meaning without the one
 *   before.
 *
 * An unreadable record always becomes a dead letter: there is nothing to wait for.
 */
export type Unhandled = 'set-aside' | 'set-aside-in-order' | 'hold';

/**
 * How a topic is provisioned, and what its consumers may rely on.
 *
 * A version of a known type that a consumer does not handle becomes a dead letter, in every topic: consumers of a new
 * version are deployed before its producers, and early messages are replayed. An unknown type is skipped and counted in
 * an event topic (it is a newer release's), and becomes a dead letter in a command topic (accepted requests are never
 * skipped).
 */
export type TopicSettings = {
  readonly kind: 'commands' | 'events';
  /** Partitions are the width of a consumer group; the order of one key holds inside one partition. */
  readonly partitions: number;
  /**
   * Commands are kept for two weeks. Events are kept as long as their rows, so that every projection can be rebuilt
   * (I8): forever (-1), except those of requests that made no stamp.
   */
  readonly retentionMs: number;
  readonly unhandled: Unhandled;
};

/**
 * Commands are decided one by one, by the stored state: two of one identity or name may come in either order, and
 * repeats are known by id. Two of one identity share a key, so they are never decided at the same time.
 */
const command: TopicSettings = {
  kind: 'commands',
  partitions: 8,
  retentionMs: 14 * 24 * 3600 * 1000,
  unhandled: 'set-aside',
};
/**
 * Facts of one stamp or collection build on one another, so their order is kept. But the key of stamps is a shard (an
 * eighth of all), which must not wait for a person: a message that cannot be handled is missing until replayed, then
 * comes late. A rebuild corrects read models at the latest.
 */
const events: TopicSettings = { kind: 'events', partitions: 8, retentionMs: -1, unhandled: 'set-aside-in-order' };
/** How many days stamping reports which stamp a request joined, or why it was refused. */
export const requestDays = 30;
/**
 * Outcomes of requests without a new stamp and content: repeating clients must not fill the brokers. Messages are kept
 * a day longer than the events they were published from, so that a restore finds one for each. Each has meaning by
 * itself.
 */
const requests: TopicSettings = {
  kind: 'events',
  partitions: 8,
  retentionMs: (requestDays + 1) * 24 * 3600 * 1000,
  unhandled: 'set-aside',
};
/**
 * One chain is one ordered partition: the key is the chain's id. A block has no meaning without the one before: none is
 * skipped. A missing block (a lost or unreadable record) is a gap, which consumers detect by the parent hash.
 */
const chain: TopicSettings = { kind: 'events', partitions: 4, retentionMs: -1, unhandled: 'hold' };

/** The topics and how each is provisioned; each has a dead-letter topic, named in the kafka package. */
export const topics: Readonly<Record<TopicName, TopicSettings>> = {
  'commands.stamps': command,
  'commands.collections': command,
  'commands.files': command,
  'events.accounts': events,
  'events.chain': chain,
  'events.collections': events,
  'events.files': events,
  'events.requests': requests,
  'events.stamps': events,
};
