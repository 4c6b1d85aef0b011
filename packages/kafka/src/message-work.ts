import type { TopicName, Unhandled } from '@indelible/messages';
import { type Backoff, errorForLog, type Logger, wait } from '@indelible/service-runtime';
import type { BusEvent } from './bus-event.ts';
import { type IncomingRecord, recordOfOne } from './codec.ts';
import { toDeadLetter, withoutValue } from './dead-letter.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { createFaultPolicy, type Suspect } from './fault-policy.ts';
import type { IncomingMessage } from './message.ts';
import { createPersist } from './retry.ts';
import type { TopicNames } from './topic-names.ts';

export type Readable = { readonly record: IncomingRecord; readonly message: IncomingMessage };
export type Unreadable = { readonly record: IncomingRecord; readonly error: Error };
export type Slice = { readonly readable: Readable[]; readonly unreadable: Unreadable[] };

export type MessageWorkOptions = {
  readonly groupId: string;
  readonly deadLetterBox: Pick<DeadLetterBox, 'put'>;
  readonly topicNames: TopicNames;
  /** Before another attempt. */
  readonly backoff: Backoff;
  readonly logger: Logger;
  readonly onEvent: (event: BusEvent) => void;
  readonly unhandled: (topic: TopicName) => Unhandled;
};

/** A slice of a partition on its way: `beforeWaiting` is called before each wait for another attempt. */
export type SliceContext = {
  readonly topic: TopicName;
  readonly partition: number;
  readonly signal: AbortSignal;
  readonly handle: (batch: readonly IncomingMessage[], alone: boolean) => Promise<void>;
  readonly beforeWaiting: () => void;
};

/** A partition that keeps failing is logged at the first failure, then this often. */
const logEveryMs = 60_000;

/** Processes slices by the fault policy, and keeps what must outlive a delivery: suspects and successes. */
export const createMessageWork = (options: MessageWorkOptions) => {
  const { topicNames, backoff, logger, onEvent } = options;
  const suspects = new Map<string, Suspect>();
  const successes = new Map<TopicName, number>();
  const failing = new Map<string, { readonly since: number; loggedAt: number }>();

  const noteRetry = (topic: TopicName, partition: number, error: Error, attempt: number): void => {
    onEvent({ kind: 'retry', topic, count: 1 });
    const now = performance.now();
    const place = `${topic}:${partition}`;
    const known = failing.get(place) ?? { since: now, loggedAt: Number.NEGATIVE_INFINITY };
    failing.set(place, known);
    if (now - known.loggedAt < logEveryMs) return;
    known.loggedAt = now;
    const seconds = Math.round((now - known.since) / 1000);
    logger.warn(
      { topic, partition, attempt, seconds, err: errorForLog(error, { quotesInput: true }) },
      'Handling failed; retrying',
    );
  };

  const putAside = async (record: IncomingRecord, error: Error, attempts: number, context: SliceContext) => {
    const { topic, partition, signal } = context;
    const fault = { groupId: options.groupId, error, attempts, time: new Date().toISOString() };
    const letter = toDeadLetter(record, topicNames.deadLetter(topic), fault);
    const persist = createPersist({
      backoff,
      wait: async (ms, aborting) => {
        context.beforeWaiting();
        await wait(ms, aborting);
      },
      onRetry: (refused, attempt) => noteRetry(topic, partition, refused, attempt),
    });
    const refused = await persist(() => options.deadLetterBox.put(letter), signal);
    if (refused !== undefined) {
      // Too large for the brokers with its reason: keep the reason; the record stays in its own topic.
      const refusedToo = await persist(() => options.deadLetterBox.put(withoutValue(letter)), signal);
      if (refusedToo !== undefined) throw refusedToo;
    }
    const { offset } = record;
    logger.warn(
      { topic, partition, offset, attempts, err: errorForLog(error, { quotesInput: true }) },
      'Message put into the dead-letter topic',
    );
    onEvent({ kind: 'dead-letter', topic, count: 1 });
  };

  return {
    /** Resolves with the rest of the slice, to be fetched again. Rejects when the signal aborts. */
    async process({ readable, unreadable }: Slice, context: SliceContext): Promise<readonly Readable[]> {
      const { topic, partition, signal } = context;
      const place = `${topic}:${partition}`;
      const policy = createFaultPolicy<Readable>({
        backoff,
        wait: async (ms, aborting) => {
          context.beforeWaiting();
          await wait(ms, aborting);
        },
        handle: (items, alone) =>
          context.handle(
            items.map(({ message }) => message),
            alone,
          ),
        setAside: ({ record, message }, error, attempts) =>
          putAside(recordOfOne(record, message), error, attempts, context),
        onRetry: (error, attempt) => noteRetry(topic, partition, error, attempt),
        idOf: ({ record, message }) => `${record.offset}:${message.id}`,
        suspects: {
          get: () => suspects.get(place),
          set: (suspect) => {
            if (suspect === undefined) suspects.delete(place);
            else suspects.set(place, suspect);
          },
        },
        successes: {
          count: () => successes.get(topic) ?? 0,
          note: () => void successes.set(topic, (successes.get(topic) ?? 0) + 1),
        },
        unhandled: options.unhandled(topic),
      });
      const left = readable.length === 0 ? [] : await policy.process(readable, signal);
      // Messages behind the remaining ones are fetched with them again.
      const end = left[0] === undefined ? undefined : BigInt(left[0].record.offset);
      for (const { record, error } of unreadable)
        if (end === undefined || BigInt(record.offset) < end) await putAside(record, error, 1, context);
      if (readable.length === 0) return [];
      if (left.length === 0) failing.delete(place);
      onEvent({ kind: 'consumed', topic, count: readable.length - left.length });
      return left;
    },
  };
};
