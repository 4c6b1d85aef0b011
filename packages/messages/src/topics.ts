import type { TopicName } from './contract.ts';

/**
 * What becomes of a message that can be read and that cannot be handled, whatever is tried.
 *
 * - `set-aside`: it becomes a dead letter, and what is behind it goes on. Messages behind it may be tried ahead of it, and handled, to find
 *   out whether it is the message that fails or everything.
 * - `set-aside-in-order`: as before, but nothing is tried ahead of it: it becomes a dead letter when messages of other partitions are
 *   handled while it fails. Until then its partition waits.
 * - `hold`: it is retried for ever and its partition waits, while others go on; readiness and
 *   `indelible_consumer_oldest_unhandled_seconds` show it. For topics in which a message has no meaning without the one before.
 *
 * A record that cannot be read at all becomes a dead letter in each: it holds nothing to wait for.
 */
export type Unhandled = 'set-aside' | 'set-aside-in-order' | 'hold';

/**
 * How a topic is provisioned, and what its consumers may rely on.
 *
 * A version of a known type that a consumer does not handle becomes a dead letter, in every topic: consumers of a new version are
 * deployed before its producers, and what came too early is replayed. A type that nobody knows is skipped and counted in an event
 * topic (it is a newer release's), and becomes a dead letter in a command topic (what was accepted is never skipped).
 */
export type TopicSettings = {
  readonly kind: 'commands' | 'events';
  /** Partitions are the width of a consumer group; the order of one key holds inside one partition. */
  readonly partitions: number;
  /**
   * Commands are kept for two weeks. Events are kept for as long as rows are made of them, so that every projection can be rebuilt (I8):
   * for ever (-1), except those of requests that made no stamp.
   */
  readonly retentionMs: number;
  readonly unhandled: Unhandled;
};

/**
 * Commands are decided one by one, by what is stored when they come: two of one identity or name may come in either order, and the
 * same command again is known by its id. Two of one identity are never decided at the same time: they have one key.
 */
const command: TopicSettings = {
  kind: 'commands',
  partitions: 8,
  retentionMs: 14 * 24 * 3600 * 1000,
  unhandled: 'set-aside',
};
/**
 * Facts of one stamp or collection follow one another, so none is handled ahead of another. But the key of stamps is a shard (an eighth of all), which
 * must not wait for a person: what cannot be handled is missing until it is replayed, then comes late. Read models are right again after a rebuild
 * at the latest.
 */
const events: TopicSettings = { kind: 'events', partitions: 8, retentionMs: -1, unhandled: 'set-aside-in-order' };
/** For so many days stamping answers which stamp a request joined, or why it was refused. */
export const requestDays = 30;
/**
 * What became of requests that made no stamp and brought no content: clients that repeat themselves must not fill the brokers. Its messages are kept
 * for a day longer than the events they were published from, so that a restore finds one for each. Each has its meaning alone.
 */
const requests: TopicSettings = {
  kind: 'events',
  partitions: 8,
  retentionMs: (requestDays + 1) * 24 * 3600 * 1000,
  unhandled: 'set-aside',
};
/**
 * One chain is one ordered partition: the key is the chain's id. A block has no meaning without the one before: none is left out. A block
 * that is missing (a record lost or unreadable) is a gap, which consumers notice by the parent hash.
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
