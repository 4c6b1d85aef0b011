import { type MessageContract, type RecordLabel, type TopicName, topics } from '@indelible/messages';
import { type Backoff, createBackoff, createOutageLog, wait } from '@indelible/service-runtime';
import type { Consumer as KafkaConsumer } from 'kafkajs';
import { createBatchRunner, type Handle } from './batch-runner.ts';
import type { BusEvent } from './bus-event.ts';
import { createDecoder } from './codec.ts';
import type { DeadLetterBox } from './dead-letter-box.ts';
import { BrokerUnavailableError, toError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import { createProgress } from './progress.ts';
import type { TopicNames } from './topic-names.ts';
import { withinTime } from './until-ready.ts';
import { warnOfLostOffsets } from './warn-of-lost-offsets.ts';

export type ConsumerOptions = {
  groupId: string;
  /** The messages it handles; others of their topics are skipped. */
  contracts: readonly MessageContract[];
  /** Labels of records that are skipped unread. Records of releases before labels are handled, whatever is in them. */
  skips?: readonly RecordLabel[];
  handle: Handle;
  /** Where a group without a valid offset starts. Default true. */
  fromBeginning?: boolean;
  /** A new group: missing offsets cause no warning. Default false. */
  newGroup?: boolean;
  /** Default 500. */
  maxBatchMessages?: number;
  /** Partitions handled at the same time. Default 1. */
  concurrency?: number;
  /** A partition with messages and no progress for this long makes the consumer `stalled`. Default 60,000 ms. */
  stalledAfterMs?: number;
  /** A batch that takes longer does not delay others. Default 1,000 ms. */
  handOffMs?: number;
  /** Before messages are retried. Default: from 100 ms to 10 s. */
  backoff?: Backoff;
  /** Default: no limit; `stop` ends the wait. */
  startTimeoutMs?: number;
  /** Called after each slice with the progress of the partition; `topic` is the full name. */
  onHandled?: (topic: string, partition: number, next: bigint) => void;
};

export type Consumer = {
  /** Resolves when the group is joined. @throws BrokerUnavailableError when that takes too long. */
  start(): Promise<void>;
  /** Waits for the running handler, commits it, and leaves the group. */
  stop(): Promise<void>;
  /** Whether it is a group member in contact with the brokers. */
  ready(): boolean;
  /**
   * Whether one of its partitions has messages and no progress for `stalledAfterMs`. For the readiness of services
   * without client requests; for others only an alarm, since an outdated view is outdated on every replica.
   */
  stalled(): boolean;
  /** Age of each topic's oldest unhandled message, in this member's partitions. */
  oldestUnhandledMs(): ReadonlyMap<TopicName, number>;
  /** Messages of each topic not yet handled, as of the last fetch of each partition of this member. */
  lags(): ReadonlyMap<TopicName, number>;
  /** Called once when the consumer cannot continue. Not for unreachable brokers: it reconnects by itself. */
  onFatal(listener: (error: Error) => void): void;
};

/** Without a heartbeat for this long the group gives a member's partitions to the others: the default. */
const defaultSessionTimeoutMs = 10_000;

/** Members learn from their next heartbeat that a replica joined or left: until all know, no partition is consumed. */
const longestHeartbeatMs = 1_000;
/**
 * A long poll: returns at once when messages arrive. A stop and a resumed partition wait for it: a balance of their
 * delay and the idle cost.
 */
const maxPollMs = (session: number): number => Math.min(500, session / 5);
/** Fetches and heartbeats are far more frequent; after this long without either, kafkajs hangs. */
const stallMs = 45_000;
const closeTimeoutMs = 20_000;
const commitEveryMs = 250;
/** A group may move between brokers, which takes a few attempts. */
const unremarkableFailures = 3;

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
  const session = dependencies.sessionTimeoutMs ?? defaultSessionTimeoutMs;
  const heartbeatMs = Math.min(session / 4, longestHeartbeatMs);
  const logger = connection.logger.child({ groupId: options.groupId });
  const stopping = new AbortController();
  const backoff = createBackoff({ firstMs: 200, ceilingMs: 5000 });
  const lags = new Map<string, number>();
  const progress = createProgress();
  const consumed = [...new Set(options.contracts.map(({ topic }) => topic))];
  const fatalListeners: ((error: Error) => void)[] = [];
  const firstJoin = Promise.withResolvers<void>();
  firstJoin.promise.catch(() => undefined);
  let joined = false;
  let lastSign = 0;
  let failures = 0;
  const outage = createOutageLog({ logger, waitingFor: 'Kafka, to consume messages (KAFKA_BROKERS)' });
  let living: Promise<void> | undefined;

  const runner = createBatchRunner({
    groupId: options.groupId,
    handle: options.handle,
    decode: createDecoder({
      contracts: options.contracts,
      topicNames,
      onUnknown: (topic) => dependencies.onEvent({ kind: 'skipped', topic, count: 1 }),
      ...(options.skips === undefined ? {} : { skips: options.skips }),
    }),
    deadLetterBox,
    topicNames,
    unhandled: (topic) => topics[topic].unhandled,
    handOffMs: options.handOffMs ?? 1000,
    backoff: options.backoff ?? createBackoff({ firstMs: 100, ceilingMs: 10_000 }),
    maxBatchMessages: options.maxBatchMessages ?? 500,
    commitEveryMs,
    heartbeatIntervalMs: heartbeatMs,
    sessionTimeoutMs: session,
    stopping: stopping.signal,
    logger,
    onEvent: dependencies.onEvent,
    progress,
    onLag: (topic, partition, lag) => void lags.set(`${topic}:${partition}`, lag),
    onHandled: (topic, partition, next) => options.onHandled?.(topic, partition, next),
  });

  const lagOf = (topic: string): number => {
    let sum = 0;
    for (const [partition, lag] of lags) if (partition.startsWith(`${topic}:`)) sum += lag;
    return sum;
  };

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
      outage.ended();
      lags.clear();
      // A join without a rebalance (after a leader moved) comes while batches are in progress.
      runner.forget();
      logger.debug({ partitions: payload.memberAssignment }, 'joined the consumer group');
      firstJoin.resolve();
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => resolve(toError(payload.error)));
    const watching = setInterval(() => {
      if (joined && Date.now() - lastSign > stallMs) resolve(new BrokerUnavailableError('The consumer has stalled'));
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
      heartbeatInterval: heartbeatMs,
      minBytes: 1,
      maxWaitTimeInMs: maxPollMs(session),
    });
    const life = watch(consumer);
    try {
      await consumer.connect();
      const subscribed = [...new Set(options.contracts.map(({ topic }) => topicNames.full(topic)))];
      if (options.newGroup !== true)
        await warnOfLostOffsets(client, {
          group: options.groupId,
          groupId: topicNames.group(options.groupId),
          topics: subscribed,
          logger,
        });
      await consumer.subscribe({ topics: subscribed, fromBeginning: options.fromBeginning ?? true });
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
      if (stopping.signal.aborted)
        await withinTime(closeTimeoutMs, 'The batch in hand', runner.drain()).catch(() => undefined);
      await runner.flush().catch(() => undefined);
      runner.forget();
      await withinTime(closeTimeoutMs, 'Leaving the group', consumer.disconnect());
    } catch (error) {
      logger.warn({ err: error }, 'The consumer did not leave its group in time');
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
        // Stopped while connecting: it ends by itself; nobody waits for it.
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
      logger.debug({ err: crash, failures, delayMs }, 'The consumer lost Kafka, connecting again');
      if (failures > unremarkableFailures) outage.failed(crash);
      await wait(delayMs, stopping.signal).catch(() => undefined);
    }
  };

  return {
    async start() {
      living ??= live();
      const { startTimeoutMs: timeoutMs } = options;
      await (timeoutMs === undefined
        ? firstJoin.promise
        : withinTime(timeoutMs, `Joining ${options.groupId}`, firstJoin.promise));
    },
    async stop() {
      stopping.abort();
      firstJoin.reject(new BrokerUnavailableError('The consumer is stopped'));
      await living;
      await deadLetterBox.stop();
    },
    ready: () => joined && Date.now() - lastSign < stallMs,
    stalled: () => progress.stalledMs() > (options.stalledAfterMs ?? 60_000),
    oldestUnhandledMs: () => new Map(consumed.map((topic) => [topic, progress.oldestMs(topic)])),
    lags: () => new Map(consumed.map((topic) => [topic, lagOf(topicNames.full(topic))])),
    onFatal(listener) {
      fatalListeners.push(listener);
    },
  };
};
