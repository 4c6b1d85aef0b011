import { createBackoff, createOutageLog, wait } from '@indelible/service-runtime';
import { CompressionTypes, type Message, Partitioners, type Producer, type TopicMessages } from 'kafkajs';
import type { OutgoingRecord } from './codec.ts';
import { compressionOf } from './compression.ts';
import { BrokerUnavailableError, RecordsRefusedError, toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isRefusedForGood, isTransient } from './kafka-faults.ts';
import { untilReady, withinTime } from './until-ready.ts';

/** No further attempt begins after this time. */
const defaultSendTimeoutMs = 4000;
/** In-sync replicas have this long to acknowledge, as the broker counts. */
const replicationTimeoutMs = 2000;
const requestTimeoutMs = 2500;
/** The limits above bound an attempt of kafkajs; this is for one that hangs. */
const attemptTimeoutMs = 15_000;

const toTopicMessages = (records: readonly OutgoingRecord[]): TopicMessages[] => {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, key, value, headers } of records) {
    const messages = byTopic.get(topic) ?? [];
    messages.push({ key, value, headers: { ...headers } as NonNullable<Message['headers']> });
    byTopic.set(topic, messages);
  }
  return [...byTopic].map(([topic, messages]) => ({ topic, messages }));
};

/**
 * One idempotent producer at a time, with acks from all in-sync replicas.
 *
 * After a failed request kafkajs gives the next one the same sequence numbers. For the same records that is what makes
 * the retry idempotent; for other records it would be a loss: a broker that had written the failed ones treats the
 * others as duplicates and acknowledges without writing. So a producer retries the failed records or sends nothing
 * more: when `send` gives up, the producer is discarded, and the next records use a new producer id.
 */
export const createProducerSession = (
  connection: Connection,
  limits: { sendTimeoutMs?: number; compresses?: boolean } = {},
) => {
  const { logger } = connection;
  const sendTimeoutMs = limits.sendTimeoutMs ?? defaultSendTimeoutMs;
  const outage = createOutageLog({ logger, waitingFor: 'Kafka, to acknowledge records (KAFKA_BROKERS)' });
  const stopping = new AbortController();
  const backoff = createBackoff({ firstMs: 50, ceilingMs: 1000 });
  let producer: Producer | undefined;
  let connecting: Promise<Producer> | undefined;
  let reconnecting = false;

  const connect = async (): Promise<Producer> => {
    const client = createKafkaClient(connection, { connectionTimeoutMs: 1000, requestTimeoutMs, retries: 1 });
    const candidate = client.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    try {
      await withinTime(attemptTimeoutMs, 'Connecting', candidate.connect());
      stopping.signal.throwIfAborted();
      return candidate;
    } catch (error) {
      // Not awaited: a connection that never opened may never close.
      candidate.disconnect().catch(() => undefined);
      throw error;
    }
  };

  const connected = async (): Promise<Producer> => {
    if (producer !== undefined) return producer;
    connecting ??= connect().finally(() => {
      connecting = undefined;
    });
    producer = await connecting;
    return producer;
  };

  const connectInTime = (timeoutMs: number) =>
    untilReady(connected, {
      timeoutMs,
      signal: stopping.signal,
      backoff,
      isTransient,
      onFailure: (error, attempt) => logger.debug({ err: error, attempt }, 'Kafka is not ready for producing'),
    });

  /** Readiness recovers by itself, even if nothing is sent. */
  const reconnect = async () => {
    if (reconnecting || stopping.signal.aborted) return;
    reconnecting = true;
    try {
      await connectInTime(Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!stopping.signal.aborted) logger.error({ err: error }, 'Producing is no longer possible');
    } finally {
      reconnecting = false;
    }
  };

  const discard = () => {
    const gone = producer;
    producer = undefined;
    gone?.disconnect().catch(() => undefined);
    void reconnect();
  };

  const attempt = async (topicMessages: TopicMessages[], compression: CompressionTypes) => {
    const session = await connected();
    await withinTime(
      attemptTimeoutMs,
      'Sending',
      session.sendBatch({ acks: -1, timeout: replicationTimeoutMs, compression, topicMessages }),
    );
  };

  return {
    /** Waits for the brokers, for as long as it takes; `stop` ends that. */
    async start(): Promise<void> {
      await connectInTime(Number.POSITIVE_INFINITY);
    },
    ready: () => producer !== undefined,
    /**
     * Resolves when all are acknowledged. Calls must not overlap.
     * @throws BrokerUnavailableError, RecordsRefusedError: some of them may have been written.
     */
    async send(records: readonly OutgoingRecord[]): Promise<void> {
      const topicMessages = toTopicMessages(records);
      const compression = limits.compresses === true ? compressionOf(records) : CompressionTypes.None;
      const deadline = Date.now() + sendTimeoutMs;
      for (let failures = 1; ; failures += 1) {
        try {
          await attempt(topicMessages, compression);
          outage.ended();
          return;
        } catch (thrown) {
          const error = toError(thrown);
          if (isRefusedForGood(error)) {
            discard();
            throw new RecordsRefusedError('The broker refuses the records for their size or form', { cause: error });
          }
          const delayMs = backoff(failures);
          const givesUp = stopping.signal.aborted || Date.now() + delayMs > deadline;
          if (givesUp || !isTransient(error) || error instanceof BrokerUnavailableError) discard();
          if (givesUp) {
            outage.failed(error);
            throw new BrokerUnavailableError('Kafka did not acknowledge', { cause: error });
          }
          await wait(delayMs);
        }
      }
    },
    async stop(): Promise<void> {
      stopping.abort();
      const last = producer;
      producer = undefined;
      await last?.disconnect().catch(() => undefined);
    },
  };
};

export type ProducerSession = ReturnType<typeof createProducerSession>;
