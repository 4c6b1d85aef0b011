import type { TopicName } from '@indelible/messages';
import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { createBackoff, wait } from './backoff.ts';
import type { BusEvent } from './bus-event.ts';
import { type Decode, type IncomingRecord, recordOfOne } from './codec.ts';
import { toDeadLetter } from './dead-letter.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { toError } from './errors.ts';
import { createFaultPolicy } from './fault-policy.ts';
import { holdLease, type Lease } from './lease.ts';
import type { Logger } from './logger.ts';
import type { IncomingMessage } from './message.ts';
import { createOffsetCommits } from './offset-commits.ts';
import { createPersist } from './retry.ts';
import type { TopicNames } from './topic-names.ts';

export type BatchContext = {
  readonly topic: TopicName;
  readonly partition: number;
  /** Aborts when the consumer stops or the partition goes to another member of the group. */
  readonly signal: AbortSignal;
  /** Heartbeats are sent while `handle` runs; this sends one between two long steps. */
  heartbeat(): Promise<void>;
};

/**
 * Handles messages of one partition in their order, all or nothing. A throw with `retryable: false` puts a message at
 * fault; any other throw is retried with the same messages.
 */
export type Handle = (batch: readonly IncomingMessage[], context: BatchContext) => Promise<void>;

/** What of a kafkajs batch the runner uses. */
export type BatchPayload = Pick<
  EachBatchPayload,
  'resolveOffset' | 'heartbeat' | 'commitOffsetsIfNecessary' | 'uncommittedOffsets' | 'isRunning' | 'isStale'
> & {
  readonly batch: {
    readonly topic: string;
    readonly partition: number;
    readonly highWatermark: string;
    readonly messages: readonly Pick<KafkaMessage, 'key' | 'value' | 'headers' | 'offset'>[];
  };
};

export type BatchRunnerOptions = {
  readonly groupId: string;
  readonly handle: Handle;
  readonly decode: Decode;
  readonly deadLetterBox: Pick<DeadLetterBox, 'put'>;
  readonly topicNames: TopicNames;
  readonly maxBatchMessages: number;
  /** Offsets are committed at most this often. */
  readonly commitEveryMs: number;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
  readonly onEvent: (event: BusEvent) => void;
  /** How many messages of the partition are still to be handled, and the offset of the first of them. */
  readonly onLag: (topic: string, partition: number, lag: number, next: bigint) => void;
};

type Readable = { readonly record: IncomingRecord; readonly message: IncomingMessage };
type Unreadable = { readonly record: IncomingRecord; readonly error: Error };
type Slice = { readonly readable: Readable[]; readonly unreadable: Unreadable[] };

/** Takes kafkajs' batches apart: decodes, hands over in slices, and commits behind what is handled, never before it. */
export const createBatchRunner = (options: BatchRunnerOptions) => {
  const { topicNames, logger, onEvent } = options;
  const commits = createOffsetCommits<ReturnType<BatchPayload['uncommittedOffsets']>>({
    everyMs: options.commitEveryMs,
    logger,
  });
  const backoff = createBackoff({ firstMs: 100, ceilingMs: 10_000 });

  const setAside = async (record: IncomingRecord, error: Error) => {
    const topic = topicNames.plain(record.topic);
    const fault = { groupId: options.groupId, error, time: new Date().toISOString() };
    await options.deadLetterBox.put(toDeadLetter(record, topicNames.deadLetter(topic), fault));
    // The error's text stands in the letter's headers: a log gets only what cannot hold content (I10).
    const { partition, offset } = record;
    logger.warn({ topic, partition, offset, error: error.name }, 'Message put into the dead-letter topic');
    onEvent({ kind: 'dead-letter', topic, count: 1 });
  };

  const sortInto = (slice: Slice, record: IncomingRecord): void => {
    try {
      for (const message of options.decode(record)) slice.readable.push({ record, message });
    } catch (error) {
      slice.unreadable.push({ record, error: toError(error) });
    }
  };

  const work = async ({ readable, unreadable }: Slice, context: BatchContext): Promise<void> => {
    const { topic, partition } = context;
    const policy = createFaultPolicy<Readable | Unreadable>({
      persist: createPersist({
        backoff,
        wait,
        onRetry: (error, attempt, delayMs) => {
          const reason = `${error.name}: ${error.message}`.slice(0, 500);
          logger.warn({ topic, partition, reason, attempt, delayMs }, 'Handling failed, trying again');
          onEvent({ kind: 'retry', topic, count: 1 });
        },
      }),
      handle: (items) =>
        options.handle(
          items.flatMap((item) => ('message' in item ? [item.message] : [])),
          context,
        ),
      setAside: (item, error) =>
        setAside('message' in item ? recordOfOne(item.record, item.message) : item.record, error),
    });
    for (const item of unreadable) await policy.setAside(item, item.error, context.signal);
    await policy.process(readable, context.signal);
    if (readable.length > 0) onEvent({ kind: 'consumed', topic, count: readable.length });
  };

  const workThrough = async (payload: BatchPayload, lease: Lease): Promise<void> => {
    const { topic, partition, messages, highWatermark } = payload.batch;
    const context: BatchContext = {
      topic: topicNames.plain(topic),
      partition,
      signal: lease.signal,
      heartbeat: lease.heartbeat,
    };
    for (let next = 0; next < messages.length; ) {
      if (lease.signal.aborted || !payload.isRunning() || payload.isStale()) return;
      const slice: Slice = { readable: [], unreadable: [] };
      const from = next;
      while (next < messages.length && next - from < options.maxBatchMessages) {
        const { key, value, headers, offset } = messages[next]!;
        sortInto(slice, { topic, partition, key, value, headers: headers ?? {}, offset });
        next += 1;
        // A record of many messages may bring more than the bound; the next one waits.
        if (slice.readable.length >= options.maxBatchMessages) break;
      }
      await work(slice, context);
      const last = messages[next - 1]!;
      payload.resolveOffset(last.offset);
      await commits.handled(payload);
      const lag = Math.max(0, Number(highWatermark) - 1 - Number(last.offset));
      options.onLag(topic, partition, lag, BigInt(last.offset) + 1n);
    }
  };

  return {
    /** Rejects only with what makes kafkajs join the group again. */
    async run(payload: BatchPayload): Promise<void> {
      const lease = holdLease({
        heartbeat: payload.heartbeat,
        stopping: options.stopping,
        intervalMs: options.heartbeatIntervalMs,
        sessionTimeoutMs: options.sessionTimeoutMs,
      });
      try {
        await workThrough(payload, lease);
        // The last of a consumer that stops is committed before it leaves.
        if (options.stopping.aborted) await commits.flush();
      } catch (error) {
        if (!lease.signal.aborted) throw error;
      } finally {
        lease.end();
      }
      const lost = lease.lost();
      if (lost !== undefined) throw lost;
    },
    /** Commits what is handled. */
    flush: commits.flush,
    /** To be called when the group is joined anew: what was handled before is committed by whoever has its partitions. */
    forget: commits.forget,
  };
};
