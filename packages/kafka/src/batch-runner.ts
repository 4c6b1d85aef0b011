import type { TopicName, Unhandled } from '@indelible/messages';
import { type Backoff, errorForLog, type Logger } from '@indelible/service-runtime';
import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { BusEvent } from './bus-event.ts';
import type { Decode } from './codec.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { toError } from './errors.ts';
import { holdLease, type Lease } from './lease.ts';
import type { IncomingMessage } from './message.ts';
import { createMessageWork, type Slice } from './message-work.ts';
import { createOffsetCommits } from './offset-commits.ts';
import type { Progress } from './progress.ts';
import type { TopicNames } from './topic-names.ts';

export type BatchContext = {
  readonly topic: TopicName;
  readonly partition: number;
  /** Aborts when the consumer stops or another group member gets the partition. */
  readonly signal: AbortSignal;
  /** One of these messages may be invalid: do not mix them with others. */
  readonly alone: boolean;
  /** Heartbeats are sent while `handle` runs; this sends one between two long steps. */
  heartbeat(): Promise<void>;
};

/**
 * Handles messages of one partition in their order, all or nothing. The class of a thrown error ({@link faultClassOf})
 * decides: the same messages, or fewer, are retried, or the invalid one is set aside.
 */
export type Handle = (batch: readonly IncomingMessage[], context: BatchContext) => Promise<void>;

/** What the runner uses of a kafkajs batch. */
export type BatchPayload = Pick<
  EachBatchPayload,
  'resolveOffset' | 'heartbeat' | 'commitOffsetsIfNecessary' | 'uncommittedOffsets' | 'isRunning' | 'isStale' | 'pause'
> & {
  readonly batch: {
    readonly topic: string;
    readonly partition: number;
    readonly highWatermark: string;
    readonly messages: readonly Pick<KafkaMessage, 'key' | 'value' | 'headers' | 'offset' | 'timestamp'>[];
  };
};

export type BatchRunnerOptions = {
  readonly groupId: string;
  readonly handle: Handle;
  readonly decode: Decode;
  readonly deadLetterBox: Pick<DeadLetterBox, 'put'>;
  readonly topicNames: TopicNames;
  readonly unhandled: (topic: TopicName) => Unhandled;
  readonly maxBatchMessages: number;
  /** A batch that takes longer is handed off, so that kafkajs fetches others without waiting for it. */
  readonly handOffMs: number;
  /** Before messages are retried. */
  readonly backoff: Backoff;
  /** Offsets are committed at most this often. */
  readonly commitEveryMs: number;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly stopping: AbortSignal;
  readonly logger: Logger;
  readonly onEvent: (event: BusEvent) => void;
  readonly progress: Progress;
  /** How many messages of the partition are unhandled. */
  readonly onLag: (topic: string, partition: number, lag: number) => void;
  /** The offset of the partition's first unhandled message. */
  readonly onHandled: (topic: string, partition: number, next: bigint) => void;
};

/** A batch in progress. kafkajs fetches nothing for a paused partition. */
type Work = { readonly lease: Lease; readonly done: Promise<void>; resume?: () => void };

/**
 * Processes kafkajs' batches: decodes, handles in slices, and commits only what is handled.
 *
 * kafkajs fetches from a broker again only when every batch of the last fetch has ended. So a batch that waits for
 * another attempt, or takes long, is handed off: its partition is paused, kafkajs continues with the others, and the
 * partition is resumed behind what is handled. A handed-off batch belongs to the membership in which it came: `forget`
 * ends it.
 */
export const createBatchRunner = (options: BatchRunnerOptions) => {
  const { topicNames, logger, progress } = options;
  const commits = createOffsetCommits<ReturnType<BatchPayload['uncommittedOffsets']>>({
    everyMs: options.commitEveryMs,
    logger,
  });
  const messageWork = createMessageWork(options);
  const works = new Set<Work>();

  /** The next messages of a batch, as many as are handed over at once, and how many records they are. */
  const sliceOf = ({ batch }: BatchPayload, from: number): { slice: Slice; next: number } => {
    const { topic, partition, messages } = batch;
    const slice: Slice = { readable: [], unreadable: [] };
    let next = from;
    while (next < messages.length && next - from < options.maxBatchMessages) {
      const { key, value, headers, offset } = messages[next]!;
      const record = { topic, partition, key, value, headers: headers ?? {}, offset };
      try {
        for (const message of options.decode(record)) slice.readable.push({ record, message });
      } catch (error) {
        slice.unreadable.push({ record, error: toError(error) });
      }
      next += 1;
      // A record of many messages may exceed the limit; the next one waits.
      if (slice.readable.length >= options.maxBatchMessages) break;
    }
    return { slice, next };
  };

  const workThrough = async (payload: BatchPayload, lease: Lease, handOff: () => void): Promise<void> => {
    const { partition, messages, highWatermark } = payload.batch;
    const place = `${payload.batch.topic}:${partition}`;
    const topic = topicNames.plain(payload.batch.topic);
    const context = { topic, partition, signal: lease.signal, heartbeat: lease.heartbeat };

    const resolveBefore = async (offset: bigint): Promise<void> => {
      payload.resolveOffset(String(offset - 1n));
      await commits.handled(payload);
      options.onLag(payload.batch.topic, partition, Math.max(0, Number(BigInt(highWatermark) - offset)));
      options.onHandled(payload.batch.topic, partition, offset);
    };

    for (let next = 0; next < messages.length; ) {
      const first = messages[next]!;
      if (lease.signal.aborted || !payload.isRunning() || payload.isStale()) return;
      progress.waiting(place, topic, first.offset, Number(first.timestamp));
      const taken = sliceOf(payload, next);
      const [left] = await messageWork.process(taken.slice, {
        ...context,
        handle: (batch, alone) => options.handle(batch, { ...context, alone }),
        beforeWaiting: handOff,
      });
      if (!lease.holds()) return;
      if (left !== undefined) {
        if (left.record.offset !== first.offset) await resolveBefore(BigInt(left.record.offset));
        return;
      }
      next = taken.next;
      await resolveBefore(BigInt(messages[next - 1]!.offset) + 1n);
    }
    progress.done(place);
  };

  /** To be called when the membership changes: the next owner of a partition starts after the committed offset. */
  const forget = (): void => {
    commits.forget();
    progress.clear();
    for (const work of works) {
      work.lease.release();
      // Once: its partition may be paused for the next batch by the time it ends.
      work.resume?.();
      delete work.resume;
    }
    works.clear();
  };

  return {
    /** Rejects only with what makes kafkajs join the group again. */
    async run(payload: BatchPayload): Promise<void> {
      if (options.stopping.aborted) {
        // Otherwise it would be fetched repeatedly until the current batch ends.
        payload.pause();
        return;
      }
      const lease = holdLease({
        heartbeat: payload.heartbeat,
        stopping: options.stopping,
        intervalMs: options.heartbeatIntervalMs,
        sessionTimeoutMs: options.sessionTimeoutMs,
      });
      const handedOff = Promise.withResolvers<void>();
      const { topic, partition, messages, highWatermark } = payload.batch;
      let resume: (() => void) | undefined;
      const handOff = (): void => {
        if (resume !== undefined || lease.signal.aborted) return;
        resume = payload.pause();
        work.resume = resume;
        handedOff.resolve();
      };
      const late = setTimeout(handOff, options.handOffMs);
      const [first] = messages;
      if (first !== undefined)
        options.onLag(topic, partition, Math.max(0, Number(BigInt(highWatermark) - BigInt(first.offset))));
      const done = workThrough(payload, lease, handOff)
        .catch((error: unknown) => {
          if (!lease.signal.aborted) throw error;
        })
        .finally(() => {
          clearTimeout(late);
          lease.end();
          works.delete(work);
        });
      const work: Work = { lease, done };
      works.add(work);
      await Promise.race([done, handedOff.promise]);
      if (resume !== undefined) {
        done
          .catch((error: unknown) => {
            // kafkajs learns from its own heartbeat that it must rejoin.
            logger.debug({ err: errorForLog(error, { quotesInput: true }) }, 'A paused partition ended with an error');
          })
          .finally(() => work.resume?.());
        return;
      }
      // A stopping consumer commits its last offsets before it leaves.
      if (options.stopping.aborted) await commits.flush();
      const lost = lease.lost();
      if (lost !== undefined) throw lost;
    },
    /** Resolves when all batches ended. */
    async drain(): Promise<void> {
      await Promise.allSettled([...works].map(({ done }) => done));
    },
    /** Commits what is handled. */
    flush: commits.flush,
    forget,
  };
};
