import { allMessages, type MessageContract, type TopicName, topics } from '@indelible/messages';
// Node finds not every name of this CommonJS module by itself.
import kafkajs, { type Admin } from 'kafkajs';
import { createBackoff } from './backoff.ts';
import { BrokerUnavailableError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import type { Registry } from './registry.ts';
import type { TopicNames } from './topic-names.ts';
import { untilReady } from './until-ready.ts';

export type ProvisionOptions = {
  /** Default: every contract of the service. */
  contracts?: readonly MessageContract[];
  /** Default: the brokers' own. */
  replicationFactor?: number;
  /** Replicas that must have a message before it counts as written. Default: the brokers' own. */
  minInSyncReplicas?: number;
};

type Wanted = { topic: string; partitions: number; config: { name: string; value: string }[] };

const readyTimeoutMs = 60_000;

const wantedTopics = (topicNames: TopicNames, options: ProvisionOptions): Wanted[] =>
  (Object.keys(topics) as TopicName[]).flatMap((topic) => {
    const { partitions, retentionMs } = topics[topic];
    const config = [
      { name: 'cleanup.policy', value: 'delete' },
      { name: 'retention.ms', value: String(retentionMs) },
      ...(options.minInSyncReplicas === undefined
        ? []
        : [{ name: 'min.insync.replicas', value: String(options.minInSyncReplicas) }]),
    ];
    return [
      { topic: topicNames.full(topic), partitions, config },
      { topic: topicNames.deadLetter(topic), partitions: 1, config },
    ];
  });

/** Partitions are never added to a topic that is there: its keys would move, and with them their order. */
const checkPartitions = async (admin: Admin, wanted: readonly Wanted[]) => {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: wanted.map(({ topic }) => topic) });
  for (const { topic, partitions } of wanted) {
    const actual = found.find(({ name }) => name === topic)?.partitions.length;
    if (actual !== partitions) throw new Error(`Topic ${topic} has ${actual} partitions, ${partitions} are wanted`);
  }
};

const provisionTopics = async (admin: Admin, wanted: readonly Wanted[], options: ProvisionOptions) => {
  await admin.connect();
  const existing = new Set(await admin.listTopics());
  const missing = wanted.filter(({ topic }) => !existing.has(topic));
  if (missing.length > 0) {
    await admin.createTopics({
      waitForLeaders: true,
      timeout: 15_000,
      topics: missing.map(({ topic, partitions, config }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: options.replicationFactor ?? -1,
        configEntries: config,
      })),
    });
  }
  await checkPartitions(admin, wanted);
  const old = wanted.filter(({ topic }) => existing.has(topic));
  if (old.length === 0) return;
  await admin.alterConfigs({
    validateOnly: false,
    resources: old.map(({ topic, config }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name: topic,
      configEntries: config,
    })),
  });
};

/** Creates what is missing and sets what differs: every topic with its dead-letter topic, and every schema. */
export const provision = async (
  dependencies: { connection: Connection; registry: Registry; topicNames: TopicNames },
  options: ProvisionOptions = {},
): Promise<void> => {
  const { connection, registry, topicNames } = dependencies;
  const patience = {
    timeoutMs: readyTimeoutMs,
    signal: new AbortController().signal,
    backoff: createBackoff({ firstMs: 100, ceilingMs: 2000 }),
    onFailure: (error: Error, attempt: number) =>
      connection.logger.debug({ error: error.message, attempt }, 'Provisioning waits for its servers'),
  };
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 20_000, retries: 3 });
  const admin = client.admin();
  try {
    const wanted = wantedTopics(topicNames, options);
    await untilReady(() => provisionTopics(admin, wanted, options), { ...patience, isTransient });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
  for (const contract of options.contracts ?? allMessages) {
    await untilReady(() => registry.register(contract), {
      ...patience,
      isTransient: (error) => error instanceof BrokerUnavailableError,
    });
  }
};
