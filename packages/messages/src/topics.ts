import type { TopicName } from './contract.ts';

export type TopicSettings = {
  /** Partitions are the width of a consumer group; the order of one key holds inside one partition. */
  readonly partitions: number;
  /** Events are kept for ever, so that every projection can be rebuilt (I8); commands for two weeks. */
  readonly retentionMs: number;
};

const command: TopicSettings = { partitions: 8, retentionMs: 14 * 24 * 3600 * 1000 };
const events: TopicSettings = { partitions: 8, retentionMs: -1 };
/** One chain is one ordered partition: the key is the chain's id. */
const chain: TopicSettings = { partitions: 4, retentionMs: -1 };

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
