import type { Connection } from './kafka-client.ts';
import { readByAdmin } from './read-by-admin.ts';

/** Offsets of a partition: of its first record, and of the one that will be written next. */
export type PartitionOffsets = {
  readonly topic: string;
  readonly partition: number;
  readonly low: bigint;
  readonly high: bigint;
};

/**
 * The offsets of all partitions of the topics (full names), as of now.
 * @throws BrokerUnavailableError when the brokers do not answer within 30 s
 */
export const readTopicOffsets = (connection: Connection, topics: readonly string[]): Promise<PartitionOffsets[]> =>
  readByAdmin(connection, 'The offsets of topics are not known yet', async (admin) => {
    const found: PartitionOffsets[] = [];
    for (const topic of topics)
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        found.push({ topic, partition, low: BigInt(low), high: BigInt(high) });
    return found;
  });
