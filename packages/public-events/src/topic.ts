/** The public topic, without its prefix. */
const publicTopicName = 'stamps.v1';

export type PublicTopicSettings = {
  /** Before the name: PUBLIC_TOPIC_PREFIX. */
  readonly prefix: string;
  /** PUBLIC_TOPIC_PARTITIONS, for a new topic only: keys would move. */
  readonly partitions: number;
  /** PUBLIC_TOPIC_RETENTION_HOURS; -1: forever. The log in Postgres keeps every event. */
  readonly retentionMs: number;
  /** PUBLIC_TOPIC_CLEANUP. Compaction keeps only the last event of each collection: for readers of the latest state. */
  readonly cleanupPolicy: 'delete' | 'compact' | 'compact,delete';
};

/** Eight partitions, thirty days, no compaction. */
export const publicTopicDefaults: PublicTopicSettings = {
  prefix: 'indelible.',
  partitions: 8,
  retentionMs: 30 * 24 * 3_600_000,
  cleanupPolicy: 'delete',
};

/** The topic's full name. */
export const publicTopicOf = (prefix: string): string => `${prefix}${publicTopicName}`;
