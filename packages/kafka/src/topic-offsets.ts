import { createBackoff } from '@indelible/service-runtime';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import { untilReady } from './until-ready.ts';

/** Offsets of a partition: of its first record, and of the one that will be written next. */
export type PartitionOffsets = {
  readonly topic: string;
  readonly partition: number;
  readonly low: bigint;
  readonly high: bigint;
};

const timeoutMs = 30_000;

/**
 * The offsets of all partitions of the topics (full names), as of now. A broker that does not lead a partition yet, or does no longer, is
 * waited for: each attempt has a client of its own, since kafkajs' admin gives up at that and keeps its view of who leads.
 * @throws BrokerUnavailableError when they cannot be had within 30 s
 */
export const readTopicOffsets = (connection: Connection, topics: readonly string[]): Promise<PartitionOffsets[]> => {
  const read = async (): Promise<PartitionOffsets[]> => {
    const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
    const admin = client.admin();
    try {
      await admin.connect();
      const found: PartitionOffsets[] = [];
      for (const topic of topics)
        for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
          found.push({ topic, partition, low: BigInt(low), high: BigInt(high) });
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
      connection.logger.debug({ err: error, attempt }, 'The offsets of topics are not known yet'),
  });
};
