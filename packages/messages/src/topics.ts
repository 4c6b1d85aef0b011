import type { TopicName } from './contract.ts';

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
  /** Events are kept for ever, so that every projection can be rebuilt (I8); commands for two weeks. */
  readonly retentionMs: number;
  /**
   * What becomes of a message that can be read and that cannot be handled, whatever is tried.
   *
   * - `set-aside`: it becomes a dead letter, and the later messages of its key are handled without it. A message may so come after
   *   later ones of its key: when it is replayed, and when others were tried ahead of it. Consumers must not depend on more.
   * - `hold`: it is retried for ever and its partition waits, while others go on; readiness and
   *   `indelible_consumer_oldest_unhandled_seconds` show it. For topics in which a message has no meaning without the one before.
   *
   * A record that cannot be read at all becomes a dead letter in either: it holds nothing to wait for.
   */
  readonly unhandled: 'set-aside' | 'hold';
};

/**
 * Commands are decided one by one, by what is stored when they come: two of one identity or name may come in either order, and the
 * same command again is known by its id.
 */
const command: TopicSettings = {
  kind: 'commands',
  partitions: 8,
  retentionMs: 14 * 24 * 3600 * 1000,
  unhandled: 'set-aside',
};
/**
 * The key is an account, a collection or a shard of stamps, so that to wait for one message would be to hold all stamps of a shard. What a
 * read model lacks until a replay is there after a rebuild at the latest.
 */
const events: TopicSettings = { kind: 'events', partitions: 8, retentionMs: -1, unhandled: 'set-aside' };
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
  'events.stamps': events,
};
