import type { TopicName } from '@indelible/messages';
import type { KafkaSecurity, Logger, RegistryAccess } from '@indelible/service-runtime';
import type { Registry as Metrics } from 'prom-client';
import type { BusEvent } from './bus-event.ts';
import { createBusMetrics } from './bus-metrics.ts';
import { type Consumer, type ConsumerOptions, createConsumer } from './consumer.ts';
import { type CopyTopic, provideCopyTopic } from './copy-topic.ts';
import { createDeadLetterBox } from './dead-letter-box.ts';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import { createGroupLag, type GroupLag, type GroupLagOptions } from './group-lag.ts';
import { readGroupProgress, type TopicProgress } from './group-progress.ts';
import type { Connection } from './kafka-client.ts';
import { createProducerSession } from './producer-session.ts';
import { type ProvisionOptions, type ProvisionReport, provision } from './provision.ts';
import { createPublisher, type Publisher, type PublisherOptions } from './publisher.ts';
import { createRecordPublisher, type RecordPublisher } from './record-publisher.ts';
import { type RecordTailOptions, tailRecords } from './record-tail.ts';
import { createRegistry } from './registry.ts';
import { type ReplayOptions, replayDeadLetters } from './replay.ts';
import { checkGroupsStopped, type Groups, type RewoundGroup, rewindGroups } from './rewind-groups.ts';
import { securityOf } from './security.ts';
import { createTopicNames } from './topic-names.ts';
import { createTopicReader, type TopicReader, type TopicReaderOptions } from './topic-reader.ts';

export type MessageBusOptions = {
  /** host:port of some brokers; the others are learnt from them. */
  brokers: readonly string[];
  /** The base of Confluent's API. */
  schemaRegistryUrl: string;
  clientId: string;
  /** The CloudEvents source of what is published, e.g. `indelible/stamping`. */
  source: string;
  /** Before the names of topics and groups: empty in production, unique in a test file. */
  topicPrefix: string;
  /** How long a group waits for a dead member: 1,000 ms or more, as the broker allows. Default 10,000. */
  sessionTimeoutMs?: number;
  logger: Logger;
  /** Counts messages, and reports the age of those that wait. One bus a registry. */
  metrics?: Metrics;
  /** Called for what is counted. */
  onEvent?: (event: BusEvent) => void;
  /** TLS and authentication of the brokers' clients; without: neither. */
  security?: KafkaSecurity;
  schemaRegistryAccess?: RegistryAccess;
};

export type MessageBus = {
  createPublisher(options: PublisherOptions): Publisher;
  /** For records for other readers, in topics outside of this service's messages. */
  createRecordPublisher(): RecordPublisher;
  /** Follows a topic of such records until the signal aborts. */
  tailRecords(options: RecordTailOptions): Promise<void>;
  /** Provides a topic for copies of such records. @returns its partitions, and how many records it has */
  provideCopyTopic(topic: CopyTopic): ReturnType<typeof provideCopyTopic>;
  createConsumer(options: ConsumerOptions): Consumer;
  /** Polls how far groups are behind their topics. */
  createGroupLag(options: GroupLagOptions): GroupLag;
  /** How far groups have handled their topics, and their dead letters. @throws when the brokers do not answer in time. */
  readGroupProgress(groups: GroupLagOptions['groups']): Promise<ReadonlyMap<TopicName, TopicProgress>>;
  /** Reads whole topics from their beginning, to rebuild something from them. */
  createTopicReader(options: TopicReaderOptions): TopicReader;
  /** Creates the missing topics, each with its dead-letter topic, and registers the schemas. May be called again, and by several processes at once. */
  provision(options?: ProvisionOptions): Promise<ProvisionReport>;
  /** @throws GroupsRunningError that names those of the groups that have members */
  checkGroupsStopped(groups: readonly string[]): Promise<void>;
  /** Makes groups reread what was written since. @throws GroupsRunningError, before anything is changed */
  rewindGroups(groups: Groups, since: Date): Promise<readonly RewoundGroup[]>;
  /** Publishes a topic's dead letters to it again; returns how many. */
  replayDeadLetters(options: ReplayOptions): Promise<number>;
  /** Dead letters for people: counted, listed, shown, replayed one by one, discarded. */
  readonly deadLetters: DeadLetters;
};

/** Commands and events over Kafka. Nothing connects before a part of it is started. */
export const createMessageBus = (options: MessageBusOptions): MessageBus => {
  const { logger, source } = options;
  const topicNames = createTopicNames(options.topicPrefix);
  const metrics = options.metrics === undefined ? undefined : createBusMetrics(options.metrics);
  const onEvent = (event: BusEvent): void => {
    metrics?.count(event);
    options.onEvent?.(event);
  };
  const connection: Connection = {
    brokers: options.brokers,
    clientId: options.clientId,
    logger,
    ...(options.security && securityOf(options.security)),
  };
  const registry = createRegistry({
    url: options.schemaRegistryUrl,
    clientId: options.clientId,
    ...options.schemaRegistryAccess,
  });
  return {
    createPublisher: (publisherOptions) =>
      createPublisher(
        { session: createProducerSession(connection), registry, topicNames, source, logger, onEvent },
        publisherOptions,
      ),
    createRecordPublisher: () => createRecordPublisher(createProducerSession(connection, { compresses: true })),
    tailRecords: (tailOptions) => tailRecords(connection, tailOptions),
    provideCopyTopic: (topic) => provideCopyTopic(connection, topic),
    createConsumer: (consumerOptions) => {
      const consumer = createConsumer(
        {
          connection,
          ...(options.sessionTimeoutMs === undefined ? {} : { sessionTimeoutMs: options.sessionTimeoutMs }),
          topicNames,
          deadLetterBox: createDeadLetterBox(createProducerSession(connection)),
          onEvent,
        },
        consumerOptions,
      );
      metrics?.watch(consumerOptions.groupId, consumer);
      return consumer;
    },
    createGroupLag: (lagOptions) => createGroupLag({ connection, topicNames }, lagOptions),
    readGroupProgress: (groups) => readGroupProgress({ connection, topicNames }, groups),
    createTopicReader: (readerOptions) => createTopicReader({ connection, topicNames }, readerOptions),
    provision: (provisionOptions) => provision({ connection, registry, topicNames }, provisionOptions),
    checkGroupsStopped: (groups) => checkGroupsStopped({ connection, topicNames }, groups),
    rewindGroups: (groups, since) => rewindGroups({ connection, topicNames }, groups, since),
    deadLetters: createDeadLetters({ connection, topicNames }),
    replayDeadLetters: (replayOptions) => replayDeadLetters({ connection, topicNames }, replayOptions),
  };
};
