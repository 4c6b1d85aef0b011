import { randomUUID } from 'node:crypto';
import type { Admin } from 'kafkajs';
import { headerText } from './cloud-event.ts';
import type { IncomingRecord } from './codec.ts';
import { toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';

export type RecordTailOptions = {
  /** The full name. */
  readonly topic: string;
  /** Where to begin: at the first record, after the last, or at a time. */
  readonly from: 'beginning' | 'end' | Date;
  /** In the order of each partition. Further records are fetched once it resolves. */
  readonly onRecord: (record: TailedRecord) => Promise<void>;
  readonly signal: AbortSignal;
};

/** A record for readers outside of the service, as text. */
export type TailedRecord = {
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
};

const textOf = (value: Buffer | string | null): string => (value === null ? '' : value.toString());

const tailedOf = ({ partition, offset, key, value, headers }: IncomingRecord): TailedRecord => ({
  ...{ partition, offset, key: textOf(key), value: textOf(value) },
  headers: Object.fromEntries(
    Object.keys(headers).flatMap((name) => {
      const text = headerText(headers, name);
      return text === undefined ? [] : [[name, text]];
    }),
  ),
});

/** Follows a topic until the signal aborts, with a temporary group. */
export const tailRecords = async (connection: Connection, options: RecordTailOptions): Promise<void> => {
  const { topic, from, onRecord, signal } = options;
  const groupId = `tail.${randomUUID()}`;
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
  const admin = client.admin();
  const consumer = client.consumer({ groupId, allowAutoTopicCreation: false, minBytes: 1, maxWaitTimeInMs: 500 });
  const ended = Promise.withResolvers<void>();
  const end = (): void => ended.resolve();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  consumer.on(consumer.events.CRASH, ({ payload }) => ended.reject(toError(payload.error)));
  try {
    await admin.connect();
    const begins = await offsetsFrom(admin, topic, from);
    // Before the first fetch of each membership: what was read stays read.
    consumer.on(consumer.events.GROUP_JOIN, () => {
      for (const [partition, offset] of begins) consumer.seek({ topic, partition, offset });
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch: { partition, messages }, isRunning, isStale, heartbeat }) => {
        for (const { key, value, headers, offset } of messages) {
          if (signal.aborted || !isRunning() || isStale()) return;
          await onRecord(tailedOf({ topic, partition, key, value, headers: headers ?? {}, offset }));
          begins.set(partition, String(BigInt(offset) + 1n));
          await heartbeat();
        }
      },
    });
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', end);
    await consumer.disconnect().catch(() => undefined);
    await admin.deleteGroups([groupId]).catch(() => undefined);
    await admin.disconnect().catch(() => undefined);
  }
};

/** The offset to begin with, by partition; after the last record if none is of that time. */
async function offsetsFrom(admin: Admin, topic: string, from: RecordTailOptions['from']): Promise<Map<number, string>> {
  const offsets = await admin.fetchTopicOffsets(topic);
  const since = from instanceof Date ? await admin.fetchTopicOffsetsByTimestamp(topic, from.getTime()) : [];
  return new Map(
    offsets.map(({ partition, low, high }) => {
      if (from === 'beginning') return [partition, low];
      return [partition, since.find((one) => one.partition === partition)?.offset ?? high];
    }),
  );
}
