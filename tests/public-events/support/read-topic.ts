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

export async function startTopicReader(options: {
  readonly brokers: string;
  readonly topic: string;
  readonly group: string;
}): Promise<TopicReader> {
  const { topic } = options;
  const events: SeenEvent[] = [];
  const client = new kafkajs.Kafka({
    brokers: options.brokers.split(','),
    clientId: 'subscriber',
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { initialRetryTime: 200, maxRetryTime: 2_000, retries: 1_000 },
  });
  let running: Consumer | undefined;

  async function start(): Promise<Consumer> {
    const consumer = client.consumer({ groupId: options.group, sessionTimeout: 10_000 });
    // What it cannot go on from by itself ends it: as a subscriber's process would, it starts again.
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart && running === consumer) restart().catch(() => {});
    });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, isRunning, isStale, resolveOffset }) => {
        for (const message of batch.messages) {
          if (!isRunning() || isStale()) return;
          events.push(eventOf(message, batch.partition));
          resolveOffset(message.offset);
        }
        const handled = Number(batch.lastOffset()) + 1 - uncommitted;
        if (handled <= 0) return;
        await consumer.commitOffsets([{ topic, partition: batch.partition, offset: String(handled) }]);
      },
    });
    return consumer;
  }
  /** One at a time: by a test, or after a fault. */
  let turn: Promise<void> = Promise.resolve();
  function restart(): Promise<void> {
    turn = turn.then(async () => {
      await running?.disconnect();
      running = await start();
    });
    return turn;
  }
  running = await start();
  return {
    name: 'topic',
    once: false,
    inOrder: true,
    events,
    restart,
    async stop() {
      await turn;
      await running?.disconnect();
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
