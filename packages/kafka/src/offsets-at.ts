import { createBackoff } from '@indelible/service-runtime';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import { untilReady } from './until-ready.ts';

/** A place in a topic, by its full name. */
export type TopicOffset = { readonly topic: string; readonly partition: number; readonly offset: bigint };

const timeoutMs = 30_000;

/**
 * Where each partition of the topics (full names) has its first record that was written at that time or later; its end without one.
 * @throws BrokerUnavailableError when the brokers do not answer within 30 s
 */
export const readOffsetsAt = (
  connection: Connection,
  topics: readonly string[],
  time: Date,
): Promise<readonly TopicOffset[]> => {
  const read = async (): Promise<readonly TopicOffset[]> => {
    const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
    const admin = client.admin();
    try {
      await admin.connect();
      const found: TopicOffset[] = [];
      for (const topic of topics)
        for (const { partition, offset } of await admin.fetchTopicOffsetsByTimestamp(topic, time.getTime()))
          found.push({ topic, partition, offset: BigInt(offset) });
      return found;
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };
  return untilReady(read, {
    timeoutMs,
    signal: new AbortController().signal,
    backoff: createBackoff({ firstMs: 50, ceilingMs: 1000 }),
    isTransient,
    onFailure: (error, attempt) =>
      connection.logger.debug({ err: error, attempt }, 'Offsets by time are not known yet'),
  });
};
