import type { MessageContract } from '@indelible/messages';
import type { Consumer as KafkaConsumer } from 'kafkajs';
import { createBackoff, wait } from './backoff.ts';
import { createBatchRunner, type Handle } from './batch-runner.ts';
import type { BusEvent } from './bus-event.ts';
import { createDecoder } from './codec.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { BrokerUnavailableError, toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import type { TopicNames } from './topic-names.ts';
import { within } from './until-ready.ts';

export type ConsumerOptions = {
  groupId: string;
  /** The messages it handles; others of their topics are skipped. */
  contracts: readonly MessageContract[];
  handle: Handle;
  /** Where a group without an offset starts. Default true. */
  fromBeginning?: boolean;
  /** Default 500. */
  maxBatchMessages?: number;
  /** Partitions handled at the same time. Default 1. */
  concurrency?: number;
  /** Default: no limit; `stop` ends the wait. */
  startTimeoutMs?: number;
  /** Told after each slice how far the partition of the topic, by its full name, is handled. */
  onHandled?: (topic: string, partition: number, next: bigint) => void;
};

export type Consumer = {
  /** Resolves when the group is joined. @throws BrokerUnavailableError when that takes too long. */
  start(): Promise<void>;
  /** Lets the running handle end and commits it, then leaves the group. */
  stop(): Promise<void>;
  ready(): boolean;
  /** Messages not yet handled, as of the last fetch of each partition. */
  lag(): number;
  /** Called once when the consumer cannot go on. Unreachable brokers are no reason: it connects again by itself. */
  onFatal(listener: (error: Error) => void): void;
};

/** Without a heartbeat for this long the group gives a member's partitions to the others: the default. */
export const sessionTimeoutMs = 10_000;
/** A long poll: it is answered at once when something comes, and a stop waits for it: a balance of idle cost and stop time. */
const maxPollMs = (session: number): number => Math.min(2000, session / 5);
/** Fetches and heartbeats are far more frequent; after this long without either kafkajs has come to a standstill. */
const stallMs = 45_000;
const closeTimeoutMs = 20_000;
const commitEveryMs = 250;

/** One life of a kafkajs consumer: it ends by `close` or with its first crash; kafkajs itself never restarts it. */
type Life = { readonly consumer: KafkaConsumer; readonly crash: Promise<Error>; readonly watching: NodeJS.Timeout };

export const createConsumer = (
  dependencies: {
    connection: Connection;
    /** Default 10,000. */
    sessionTimeoutMs?: number;
    topicNames: TopicNames;
    deadLetterBox: Pick<DeadLetterBox, 'put' | 'stop'>;
    onEvent: (event: BusEvent) => void;
  },
  options: ConsumerOptions,
): Consumer => {
  const { connection, topicNames, deadLetterBox } = dependencies;
  const session = dependencies.sessionTimeoutMs ?? sessionTimeoutMs;
  const logger = connection.logger.child({ groupId: options.groupId });
  const stopping = new AbortController();
  const backoff = createBackoff({ firstMs: 200, ceilingMs: 5000 });
  const lags = new Map<string, number>();
  const fatalListeners: ((error: Error) => void)[] = [];
  const firstJoin = Promise.withResolvers<void>();
  firstJoin.promise.catch(() => undefined);
  let joined = false;
  let lastSign = 0;
  let failures = 0;
  let living: Promise<void> | undefined;

  const runner = createBatchRunner({
    groupId: options.groupId,
    handle: options.handle,
    decode: createDecoder({ contracts: options.contracts, topicNames }),
    deadLetterBox,
    topicNames,
    maxBatchMessages: options.maxBatchMessages ?? 500,
    commitEveryMs,
    heartbeatIntervalMs: session / 4,
    sessionTimeoutMs: session,
    stopping: stopping.signal,
    logger,
    onEvent: dependencies.onEvent,
    onLag: (topic, partition, lag, next) => {
      lags.set(`${topic}:${partition}`, lag);
      options.onHandled?.(topic, partition, next);
    },
  });

  const watch = (consumer: KafkaConsumer): Life => {
    const { promise: crash, resolve } = Promise.withResolvers<Error>();
    const alive = () => {
      lastSign = Date.now();
    };
    consumer.on(consumer.events.FETCH, alive);
    consumer.on(consumer.events.HEARTBEAT, alive);
    consumer.on(consumer.events.REBALANCING, () => {
      joined = false;
      runner.forget();
    });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      alive();
      joined = true;
      failures = 0;
      lags.clear();
      logger.debug({ partitions: payload.memberAssignment }, 'joined the consumer group');
      firstJoin.resolve();
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => resolve(toError(payload.error)));
    const watching = setInterval(() => {
      if (joined && Date.now() - lastSign > stallMs) resolve(new BrokerUnavailableError('The consumer stands still'));
    }, 5000);
    return { consumer, crash, watching };
  };

  const open = async (): Promise<Life> => {
    const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
    const consumer = client.consumer({
      groupId: topicNames.group(options.groupId),
      allowAutoTopicCreation: false,
      sessionTimeout: session,
      rebalanceTimeout: 60_000,
      heartbeatInterval: session / 4,
      minBytes: 1,
      maxWaitTimeInMs: maxPollMs(session),
    });
    const life = watch(consumer);
    try {
      await consumer.connect();
      const topics = [...new Set(options.contracts.map(({ topic }) => topicNames.full(topic)))];
      await consumer.subscribe({ topics, fromBeginning: options.fromBeginning ?? true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: options.concurrency ?? 1,
        eachBatch: (payload) => runner.run(payload),
      });
      return life;
    } catch (error) {
      await close(life);
      throw error;
    }
  };

  const close = async ({ consumer, watching }: Life) => {
    clearInterval(watching);
    joined = false;
    try {
      await runner.flush().catch(() => undefined);
      await within(closeTimeoutMs, 'Leaving the group', consumer.disconnect());
    } catch (error) {
      logger.warn({ error: toError(error).message }, 'The consumer did not leave its group in time');
    }
  };

  const stopped = new Promise<undefined>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

  const liveOnce = async (): Promise<Error | undefined> => {
    try {
      const opening = open();
      const life = await Promise.race([opening, stopped]);
      if (life === undefined) {
        // Stopped while still connecting: it ends by itself, nobody need wait for it.
        opening.then(close).catch(() => undefined);
        return undefined;
      }
      const crash = await Promise.race([life.crash, stopped]);
      await close(life);
      return crash;
    } catch (error) {
      return toError(error);
    }
  };

  const live = async () => {
    while (!stopping.signal.aborted) {
      const crash = await liveOnce();
      if (crash === undefined || stopping.signal.aborted) return;
      if (!isTransient(crash)) {
        firstJoin.reject(crash);
        for (const listener of fatalListeners) listener(crash);
        return;
      }
      failures += 1;
      const delayMs = backoff(failures);
      const level = failures > 3 ? 'warn' : 'debug';
      logger[level]({ error: crash.message, failures, delayMs }, 'The consumer lost Kafka, connecting again');
      await wait(delayMs, stopping.signal).catch(() => undefined);
    }
  };

  return {
    async start() {
      living ??= live();
      const { startTimeoutMs: timeoutMs } = options;
      await (timeoutMs === undefined
        ? firstJoin.promise
        : within(timeoutMs, `Joining ${options.groupId}`, firstJoin.promise));
    },
    async stop() {
      stopping.abort();
      firstJoin.reject(new BrokerUnavailableError('The consumer is stopped'));
      await living;
      await deadLetterBox.stop();
    },
    ready: () => joined && Date.now() - lastSign < stallMs,
    lag: () => [...lags.values()].reduce((sum, lag) => sum + lag, 0),
    onFatal(listener) {
      fatalListeners.push(listener);
    },
  };
};
