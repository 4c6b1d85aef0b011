import type { TopicName } from '@indelible/messages';
import type { Admin, Consumer, EachBatchPayload } from 'kafkajs';
import type { OutgoingRecord } from './codec.ts';
import { fromDeadLetter } from './dead-letter.ts';
import { MessageInvalidError, toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { createProducerSession, type ProducerSession } from './producer-session.ts';
import type { RecordRange } from './read-records.ts';
import type { TopicNames } from './topic-names.ts';
import { readTopicOffsets } from './topic-offsets.ts';
import { withinTime } from './until-ready.ts';

export type ReplayOptions = {
  readonly topic: TopicName;
  /** Default: all that are there at the start. */
  readonly limit?: number;
};

const timeoutMs = 600_000;
const sliceLength = 100;

/** The group whose offsets mark a topic's replayed or discarded letters. */
export const replayGroup = (topic: TopicName): string => `dead-letter-replay.${topic}`;

/** The letters of each partition that the group has not passed yet. */
export const openEnds = async (
  connection: Connection,
  admin: Admin,
  topic: string,
  groupId: string,
): Promise<readonly RecordRange[]> => {
  const open: RecordRange[] = [];
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  for (const { partition, high, low } of await readTopicOffsets(connection, [topic])) {
    const done = BigInt(committed?.partitions.find((entry) => entry.partition === partition)?.offset ?? -1);
    const next = done > low ? done : low;
    if (next < high) open.push({ partition, from: next, end: high });
  }
  return open;
};

type Progress = { readonly ends: Map<number, bigint>; replayed: number; readonly limit: number };

const isDone = ({ ends, replayed, limit }: Progress) => ends.size === 0 || replayed >= limit;

const replayBatch = async (
  { batch, resolveOffset, heartbeat, commitOffsetsIfNecessary, uncommittedOffsets }: EachBatchPayload,
  target: { session: ProducerSession; topic: string; progress: Progress; connection: Connection },
): Promise<void> => {
  const { session, progress, connection } = target;
  const end = progress.ends.get(batch.partition);
  if (end === undefined) return;
  const due = batch.messages.filter(({ offset }) => BigInt(offset) < end);
  for (let start = 0; start < due.length && !isDone(progress); start += sliceLength) {
    const slice = due.slice(start, start + Math.min(sliceLength, progress.limit - progress.replayed));
    const records: OutgoingRecord[] = [];
    for (const { key, value, headers, offset } of slice) {
      const letter = { topic: batch.topic, partition: batch.partition, offset, key, value, headers: headers ?? {} };
      try {
        records.push(fromDeadLetter(letter, target.topic));
      } catch (error) {
        if (!(error instanceof MessageInvalidError)) throw error;
        connection.logger.warn({ partition: batch.partition, offset }, 'Not a dead letter of this topic, left out');
      }
    }
    await session.send(records);
    progress.replayed += records.length;
    resolveOffset(slice.at(-1)!.offset);
    await commitOffsetsIfNecessary(uncommittedOffsets());
    await heartbeat();
    if (BigInt(slice.at(-1)!.offset) + 1n >= end) progress.ends.delete(batch.partition);
  }
};

const runToTheEnd = async (
  consumer: Consumer,
  deadLetterTopic: string,
  target: { session: ProducerSession; topic: string; progress: Progress; connection: Connection },
): Promise<void> => {
  const done = Promise.withResolvers<void>();
  consumer.on(consumer.events.CRASH, ({ payload }) => done.reject(toError(payload.error)));
  await consumer.connect();
  await consumer.subscribe({ topics: [deadLetterTopic], fromBeginning: true });
  await consumer.run({
    eachBatchAutoResolve: false,
    eachBatch: async (payload) => {
      try {
        if (!isDone(target.progress)) await replayBatch(payload, target);
        if (isDone(target.progress)) done.resolve();
      } catch (error) {
        done.reject(toError(error));
        throw error;
      }
    },
  });
  await withinTime(timeoutMs, 'Replaying dead letters', done.promise);
};

/**
 * Publishes the dead letters of a topic to it again, with their own key and headers, and moves the group past them.
 * They reach every group of the topic; one that has handled a message drops it by its id (I5).
 * @returns how many were published. @throws BrokerUnavailableError: the next call replays the rest.
 */
export const replayDeadLetters = async (
  dependencies: { connection: Connection; topicNames: TopicNames },
  options: ReplayOptions,
): Promise<number> => {
  const { connection, topicNames } = dependencies;
  const deadLetterTopic = topicNames.deadLetter(options.topic);
  const groupId = topicNames.group(replayGroup(options.topic));
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
  const admin = client.admin();
  const consumer = client.consumer({ groupId, allowAutoTopicCreation: false, minBytes: 1, maxWaitTimeInMs: 500 });
  const session = createProducerSession(connection);
  try {
    await admin.connect();
    const open = await openEnds(connection, admin, deadLetterTopic, groupId);
    const ends = new Map(open.map(({ partition, end }) => [partition, end]));
    const progress: Progress = { ends, replayed: 0, limit: options.limit ?? Number.POSITIVE_INFINITY };
    if (isDone(progress)) return 0;
    await session.start();
    const target = { session, topic: topicNames.full(options.topic), progress, connection };
    await runToTheEnd(consumer, deadLetterTopic, target);
    return progress.replayed;
  } finally {
    await Promise.allSettled([consumer.disconnect(), session.stop(), admin.disconnect()]);
  }
};
