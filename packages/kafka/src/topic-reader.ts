import { randomUUID } from 'node:crypto';
import { type MessageContract, topics as settingsOf } from '@indelible/messages';
import type { Handle } from './batch-runner.ts';
import { createConsumer } from './consumer.ts';
import { BrokerUnavailableError, TopicCutError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { moveGroup } from './move-group.ts';
import { readOffsetsAt } from './offsets-at.ts';
import type { TopicNames } from './topic-names.ts';
import { readTopicOffsets } from './topic-offsets.ts';

export type TopicReaderOptions = {
  /** Prefix of its consumer group, which is deleted at the end. */
  readonly name: string;
  /** The messages it handles; others of their topics are skipped. */
  readonly contracts: readonly MessageContract[];
  /** As for a consumer, but invalid messages are skipped and counted, never dead letters. */
  readonly handle: Handle;
  /** Default 500. */
  readonly maxBatchMessages?: number;
  /** Partitions handled at the same time. Default 1. */
  readonly concurrency?: number;
  /** Begins with messages written then or later. Default: the first message. */
  readonly since?: Date;
};

/** Counts of messages; `left` as of the last read of the topics' ends. */
export type TopicReaderProgress = { readonly handled: number; readonly left: number; readonly leftOut: number };

export type TopicReader = {
  /** @throws TopicCutError when the first messages of a topic that keeps all are missing, BrokerUnavailableError */
  start(): Promise<void>;
  /**
   * Resolves when everything in the topics at the call is handled. Reading continues.
   * @throws the signal's reason, or what ended the reader
   */
  catchUp(signal: AbortSignal): Promise<void>;
  progress(): TopicReaderProgress;
  /** Waits for the handler, and deletes the group. */
  stop(): Promise<void>;
};

type Waiter = { readonly ends: ReadonlyMap<string, bigint>; readonly resolve: () => void };
const keyOf = (topic: string, partition: number): string => `${topic}:${partition}`;

export const createTopicReader = (
  dependencies: { connection: Connection; topicNames: TopicNames },
  options: TopicReaderOptions,
): TopicReader => {
  const { connection, topicNames } = dependencies;
  const groupId = `${options.name}.${randomUUID()}`;
  const topics = [...new Set(options.contracts.map(({ topic }) => topicNames.full(topic)))];
  /** Where it began, unless with the first message ever. */
  const begins = new Map<string, bigint>();
  const next = new Map<string, bigint>();
  const waiters = new Set<Waiter>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  let lastEnds: ReadonlyMap<string, bigint> = new Map();
  let leftOut = 0;

  const reached = (ends: ReadonlyMap<string, bigint>): boolean =>
    [...ends].every(([key, end]) => (next.get(key) ?? 0n) >= end);

  const consumer = createConsumer(
    {
      connection,
      topicNames,
      deadLetterBox: {
        async put() {
          leftOut += 1;
        },
        stop: async () => undefined,
      },
      onEvent: () => undefined,
    },
    {
      groupId,
      newGroup: true,
      contracts: options.contracts,
      handle: options.handle,
      ...(options.maxBatchMessages === undefined ? {} : { maxBatchMessages: options.maxBatchMessages }),
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
      onHandled(topic, partition, offset) {
        const key = keyOf(topic, partition);
        // A rebalance may read again what was read before.
        if (offset > (next.get(key) ?? 0n)) next.set(key, offset);
        for (const waiter of waiters) if (reached(waiter.ends)) waiter.resolve();
      },
    },
  );
  consumer.onFatal(ended.reject);

  return {
    async start() {
      const starts = options.since === undefined ? [] : await readOffsetsAt(connection, topics, options.since);
      await moveGroup(connection, topicNames.group(groupId), starts);
      for (const { topic, partition, offset } of starts) {
        begins.set(keyOf(topic, partition), offset);
        next.set(keyOf(topic, partition), offset);
      }
      for (const { topic, partition, low } of await readTopicOffsets(connection, topics)) {
        const begin = begins.get(keyOf(topic, partition)) ?? 0n;
        if (low === 0n || begin > low) continue;
        if (settingsOf[topicNames.plain(topic)].retentionMs < 0) throw new TopicCutError(topic);
        begins.set(keyOf(topic, partition), low);
        next.set(keyOf(topic, partition), low);
      }
      await consumer.start();
    },

    async catchUp(signal) {
      signal.throwIfAborted();
      const offsets = await readTopicOffsets(connection, topics);
      const ends = new Map(offsets.map(({ topic, partition, high }) => [keyOf(topic, partition), high]));
      lastEnds = ends;
      signal.throwIfAborted();
      if (reached(ends)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter = { ends, resolve };
      const abort = (): void => reject(signal.reason);
      waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
      try {
        if (!reached(ends)) await Promise.race([promise, ended.promise]);
      } finally {
        waiters.delete(waiter);
        signal.removeEventListener('abort', abort);
      }
    },

    progress() {
      let handled = 0n;
      let left = 0n;
      for (const [key, offset] of next) handled += offset - (begins.get(key) ?? 0n);
      for (const [key, end] of lastEnds) {
        const open = end - (next.get(key) ?? 0n);
        if (open > 0n) left += open;
      }
      return { handled: Number(handled), left: Number(left), leftOut };
    },

    async stop() {
      ended.reject(new BrokerUnavailableError('The reader is stopped'));
      await consumer.stop();
      const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
      const admin = client.admin();
      // A group that remains is empty; the brokers expire it.
      await admin
        .connect()
        .then(() => admin.deleteGroups([topicNames.group(groupId)]))
        .catch(() => undefined);
      await admin.disconnect().catch(() => undefined);
    },
  };
};
