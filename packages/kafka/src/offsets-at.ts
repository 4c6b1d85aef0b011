import type { Connection } from './kafka-client.ts';
import { readByAdmin } from './read-by-admin.ts';

/** A place in a topic (full name). */
export type TopicOffset = { readonly topic: string; readonly partition: number; readonly offset: bigint };

/**
 * The first record of each partition of the topics (full names) written at that time or later; the end if none.
 * @throws BrokerUnavailableError when the brokers do not answer within 30 s
 */
export const readOffsetsAt = (
  connection: Connection,
  topics: readonly string[],
  time: Date,
): Promise<readonly TopicOffset[]> =>
  readByAdmin(connection, 'Offsets by time are not known yet', async (admin) => {
    const found: TopicOffset[] = [];
    for (const topic of topics)
      for (const { partition, offset } of await admin.fetchTopicOffsetsByTimestamp(topic, time.getTime()))
        found.push({ topic, partition, offset: BigInt(offset) });
    return found;
  });
