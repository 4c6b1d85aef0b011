import { randomUUID } from 'node:crypto';
import type { IncomingRecord } from './codec.ts';
import { toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { withinTime } from './until-ready.ts';

/** Records of a partition from `from` up to, but not including, `end`. */
export type RecordRange = { readonly partition: number; readonly from: bigint; readonly end: bigint };

const timeoutMs = 60_000;

/** Reads at most `limit` raw records of a topic (its full name), with a temporary group. */
export const readRecords = async (
  connection: Connection,
  topic: string,
  ranges: readonly RecordRange[],
  limit: number,
): Promise<readonly IncomingRecord[]> => {
  const left = new Map(ranges.filter(({ from, end }) => from < end).map((range) => [range.partition, range.end]));
  const found: IncomingRecord[] = [];
  if (left.size === 0 || limit === 0) return found;
  const groupId = `dead-letters.${randomUUID()}`;
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
  const consumer = client.consumer({ groupId, allowAutoTopicCreation: false, minBytes: 1, maxWaitTimeInMs: 500 });
  const done = Promise.withResolvers<void>();
  consumer.on(consumer.events.CRASH, ({ payload }) => done.reject(toError(payload.error)));
  // Before the first fetch of each membership.
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const { partition, from } of ranges) consumer.seek({ topic, partition, offset: String(from) });
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages, highWatermark }, isStale }) => {
        const end = left.get(partition);
        if (end === undefined || isStale()) return;
        for (const { key, value, headers, offset } of messages) {
          if (BigInt(offset) >= end || found.length === limit) break;
          found.push({ topic, partition, key, value, headers: headers ?? {}, offset });
        }
        const next = BigInt(messages.at(-1)?.offset ?? BigInt(highWatermark) - 1n) + 1n;
        if (next >= end) left.delete(partition);
        if (left.size === 0 || found.length === limit) done.resolve();
      },
    });
    await withinTime(timeoutMs, 'Reading dead letters', done.promise);
    return found;
  } finally {
    await consumer.disconnect().catch(() => undefined);
    const admin = client.admin();
    await admin
      .connect()
      .then(() => admin.deleteGroups([groupId]))
      .catch(() => undefined);
    await admin.disconnect().catch(() => undefined);
  }
};
