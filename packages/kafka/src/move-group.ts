import { toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import type { TopicOffset } from './offsets-at.ts';
import { withinTime } from './until-ready.ts';

const timeoutMs = 60_000;

/**
 * Sets where a group (its full name) continues, in all of its topics at once: as a member, since brokers accept a
 * group's offsets only from members. It handles no message. The group must have no other member.
 * @throws BrokerUnavailableError when the brokers do not accept the offsets within 60 s
 */
export const moveGroup = async (
  connection: Connection,
  groupId: string,
  offsets: readonly TopicOffset[],
): Promise<void> => {
  if (offsets.length === 0) return;
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
  const consumer = client.consumer({ groupId, allowAutoTopicCreation: false, minBytes: 1, maxWaitTimeInMs: 100 });
  const topics = [...new Set(offsets.map(({ topic }) => topic))];
  const joined = Promise.withResolvers<void>();
  joined.promise.catch(() => undefined);
  consumer.on(consumer.events.CRASH, ({ payload }) => joined.reject(toError(payload.error)));
  consumer.on(consumer.events.GROUP_JOIN, () => {
    consumer.pause(topics.map((topic) => ({ topic })));
    joined.resolve();
  });
  const move = async (): Promise<void> => {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => undefined });
    await joined.promise;
    await consumer.commitOffsets(
      offsets.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })),
    );
  };
  try {
    await withinTime(timeoutMs, `Moving the group ${groupId}`, move());
  } finally {
    await withinTime(timeoutMs, 'Leaving the group', consumer.disconnect()).catch(() => undefined);
  }
};
