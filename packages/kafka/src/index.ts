export type { BatchContext, Handle } from './batch-runner.ts';
export { type BrokerConfig, brokerOf } from './broker-of.ts';
export type { BusEvent } from './bus-event.ts';
export type { Consumer, ConsumerOptions } from './consumer.ts';
export type { CopyTopic } from './copy-topic.ts';
export type { DeadLetter, DeadLetters, LetterPlace } from './dead-letters.ts';
export {
  BrokerUnavailableError,
  GroupsRunningError,
  MessageInvalidError,
  PublisherBusyError,
  RecordsRefusedError,
  TopicCutError,
} from './errors.ts';
export type { GroupLag, GroupLagOptions } from './group-lag.ts';
export type { PartitionProgress, TopicProgress } from './group-progress.ts';
export { rootOf } from './kafka-faults.ts';
export { mergePartitions } from './merge-partitions.ts';
export {
  type Envelope,
  type IncomingMessage,
  isMessage,
  messagesOf,
  type OutgoingMessage,
  type OutgoingPack,
  outgoing,
} from './message.ts';
export { createMessageBus, type MessageBus, type MessageBusOptions } from './message-bus.ts';
export type { ProvisionOptions, ProvisionReport, PublicTopic, SchemaReport } from './provision.ts';
export { ProvisionRefusedError, type TopicReport } from './provision-topics.ts';
export type { Publisher, PublisherOptions } from './publisher.ts';
export type { PublicRecord, RecordPublisher } from './record-publisher.ts';
export type { RecordTailOptions, TailedRecord } from './record-tail.ts';
export type { PublicSubject } from './registry.ts';
export type { ReplayOptions } from './replay.ts';
export type { RewoundGroup } from './rewind-groups.ts';
export { consumerComponent, createServiceBus } from './service-bus.ts';
export { inSteps, type TopicHandlers } from './topic-handlers.ts';
export { deadLetterTopicOf } from './topic-names.ts';
export type { TopicReader, TopicReaderOptions, TopicReaderProgress } from './topic-reader.ts';
