import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Consumer, type KafkaMessage } from 'kafkajs';
import { nameOfType, type SeenEvent } from './public-event.ts';
import type { Subscriber } from './subscriber.ts';

/** A subscriber of the public topic: it handles an event, and commits it then. */
export type TopicReader = Subscriber & {
  /** Ends before it has committed what it handled last, and starts again: that comes again. */
  restart(): Promise<void>;
};

/** So many of the last events of a partition are committed with the next ones: they come again after a restart. */
const uncommitted = 3;
/** What the client shows no sign of life for is a hang of its own: a supervisor starts its process again, and so do we. */
const longestSilenceMs = 20_000;
const longestEndMs = 5_000;

/** Starts to read, and starts again after whatever ends it, until it is stopped. */
export function startTopicReader(options: {
  readonly brokers: string;
  readonly topic: string;
  readonly group: string;
}): TopicReader {
  const { topic } = options;
  const events: SeenEvent[] = [];
  const client = new kafkajs.Kafka({
    brokers: options.brokers.split(','),
    clientId: 'subscriber',
    logLevel: kafkajs.logLevel.NOTHING,
    // What kafkajs starts again by itself may outlive its end, and keep partitions of the group: we start a new one.
    retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 10, restartOnFailure: async () => false },
  });
  let isStopped = false;
  let ended = Promise.withResolvers<void>();

  async function live(): Promise<void> {
    const { promise, resolve: end } = ended;
    const consumer = client.consumer({ groupId: options.group, sessionTimeout: 10_000 });
    let lastSign = Date.now();
    const watching = setInterval(() => Date.now() - lastSign > longestSilenceMs && end(), 1_000);
    const { CRASH, FETCH, GROUP_JOIN, HEARTBEAT } = consumer.events;
    for (const sign of [FETCH, GROUP_JOIN, HEARTBEAT] as const)
      consumer.on(sign, () => {
        lastSign = Date.now();
      });
    consumer.on(CRASH, () => end());
    let isOver = false;
    void promise.then(() => {
      isOver = true;
    });
    const opening = open(consumer, () => isOver).catch(() => end());
    await promise;
    clearInterval(watching);
    // What is ended while it still joins would be a member of the group for ever.
    const gone = opening.then(() => consumer.disconnect()).catch(() => {});
    await Promise.race([gone, delay(longestEndMs)]);
  }
  async function open(consumer: Consumer, isOver: () => boolean): Promise<void> {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, isRunning, isStale, resolveOffset }) => {
        for (const message of batch.messages) {
          if (isOver() || !isRunning() || isStale()) return;
          events.push(eventOf(message, batch.partition));
          resolveOffset(message.offset);
        }
        const handled = Number(batch.lastOffset()) + 1 - uncommitted;
        if (handled <= 0) return;
        await consumer.commitOffsets([{ topic, partition: batch.partition, offset: String(handled) }]);
      },
    });
  }
  async function liveUntilStopped(): Promise<void> {
    while (!isStopped) {
      ended = Promise.withResolvers();
      await live();
    }
  }
  const living = liveUntilStopped();
  return {
    name: 'topic',
    once: false,
    inOrder: true,
    events,
    async restart() {
      ended.resolve();
    },
    async stop() {
      isStopped = true;
      ended.resolve();
      await living;
    },
  };
}

const text = (bytes: Buffer | string | (Buffer | string)[] | undefined): string => String(bytes ?? '');

function eventOf({ key, value, headers }: KafkaMessage, partition: number): SeenEvent {
  return {
    id: text(headers?.ce_id),
    name: nameOfType(text(headers?.ce_type)),
    subject: text(headers?.ce_subject),
    key: String(key),
    sequence: Number(text(headers?.ce_sequence)),
    way: partition,
    data: JSON.parse(String(value)) as Record<string, unknown>,
  };
}
