import { createBackoff } from '@indelible/service-runtime';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import type { PublicTopic } from './provision.ts';
import { readTopicOffsets } from './topic-offsets.ts';
import { untilReady } from './until-ready.ts';

export type CopyTopic = {
  /** The full name of the topic for the copies; created if missing. */
  readonly name: string;
  /** Keys have the same partition as in this topic, which may be missing. */
  readonly like: string;
  /** Of a new topic; its partitions only where the other topic is missing. */
  readonly settings: Omit<PublicTopic, 'name'>;
};

const timeoutMs = 30_000;

/**
 * Provides a topic for copies of another one's records.
 * @returns how many records it has had. @throws Error when it exists with another number of partitions
 */
export const provideCopyTopic = async (
  connection: Connection,
  { name, like, settings }: CopyTopic,
): Promise<{ readonly partitions: number; readonly records: bigint }> => {
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 20_000, retries: 3 });
  const admin = client.admin();
  const provide = async (): Promise<number> => {
    await admin.connect();
    const present = new Set(await admin.listTopics());
    const found = [name, like].filter((topic) => present.has(topic));
    const metadata = found.length === 0 ? [] : (await admin.fetchTopicMetadata({ topics: found })).topics;
    const partitionsOf = (topic: string) => metadata.find((one) => one.name === topic)?.partitions.length;
    const partitions = partitionsOf(like) ?? settings.partitions;
    const actual = partitionsOf(name);
    if (actual !== undefined && actual !== partitions)
      throw new Error(
        `Topic ${name} has ${actual} partitions, ${partitions} are wanted: the order of keys needs the same`,
      );
    if (actual === undefined)
      await admin.createTopics({
        waitForLeaders: true,
        timeout: 15_000,
        topics: [
          {
            topic: name,
            numPartitions: partitions,
            replicationFactor: -1,
            configEntries: [
              { name: 'cleanup.policy', value: settings.cleanupPolicy },
              { name: 'retention.ms', value: String(settings.retentionMs) },
              { name: 'retention.bytes', value: '-1' },
            ],
          },
        ],
      });
    return partitions;
  };
  try {
    const partitions = await untilReady(provide, {
      timeoutMs,
      signal: new AbortController().signal,
      backoff: createBackoff({ firstMs: 100, ceilingMs: 2000 }),
      isTransient,
      onFailure: (error, attempt) =>
        connection.logger.debug({ err: error, attempt }, 'The brokers are not ready for a topic'),
    });
    const offsets = await readTopicOffsets(connection, [name]);
    return { partitions, records: offsets.reduce((sum, { low, high }) => sum + high - low, 0n) };
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
};
