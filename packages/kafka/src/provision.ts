import { allMessages, type MessageContract, type TopicName, topics } from '@indelible/messages';
// Node finds not every name of this CommonJS module by itself.
import kafkajs, { type Admin } from 'kafkajs';
import { createBackoff } from './backoff.ts';
import { BrokerUnavailableError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import type { PublicSubject, Registry } from './registry.ts';
import type { TopicNames } from './topic-names.ts';
import { untilReady } from './until-ready.ts';

export type ProvisionOptions = {
  /** Default: every contract of the service. */
  contracts?: readonly MessageContract[];
  /** Default: the brokers' own. */
  replicationFactor?: number;
  /** Replicas that must have a message before it counts as written. Default: the brokers' own. */
  minInSyncReplicas?: number;
  /** Topics that others read. They have no dead letters. */
  publicTopics?: readonly PublicTopic[];
  publicSubjects?: readonly PublicSubject[];
};

/** Its settings are the configuration's: they are set on a topic that is there as well. */
export type PublicTopic = {
  /** As it is called on the brokers. */
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly cleanupPolicy: 'delete' | 'compact' | 'compact,delete';
};

type Setting = { readonly name: string; readonly value: string };
/** `config` is what a new topic gets; `promised` is the part of it that holds for one that is there, whatever else is set on it. */
type Wanted = { topic: string; partitions: number; config: Setting[]; promised: readonly Setting[] };

const readyTimeoutMs = 60_000;

const inSyncReplicas = ({ minInSyncReplicas }: ProvisionOptions): Setting[] =>
  minInSyncReplicas === undefined ? [] : [{ name: 'min.insync.replicas', value: String(minInSyncReplicas) }];

const wantedPublicTopics = (options: ProvisionOptions): Wanted[] =>
  (options.publicTopics ?? []).map(({ name, partitions, retentionMs, cleanupPolicy }) => {
    const config = [
      { name: 'cleanup.policy', value: cleanupPolicy },
      { name: 'retention.ms', value: String(retentionMs) },
      { name: 'retention.bytes', value: '-1' },
      ...inSyncReplicas(options),
    ];
    return { topic: name, partitions, config, promised: config };
  });

const wantedTopics = (topicNames: TopicNames, options: ProvisionOptions): Wanted[] =>
  (Object.keys(topics) as TopicName[]).flatMap((topic) => {
    const { partitions, retentionMs, kind } = topics[topic];
    const kept = [
      { name: 'retention.ms', value: String(retentionMs) },
      // Brokers may bound topics by size by default.
      { name: 'retention.bytes', value: '-1' },
    ];
    const fixed = [{ name: 'cleanup.policy', value: 'delete' }, ...inSyncReplicas(options)];
    const config = [...fixed, ...kept];
    // How long commands are kept is for whoever runs the brokers; projections are rebuilt from events (I8).
    const promised = kind === 'events' ? config : fixed;
    return [
      { topic: topicNames.full(topic), partitions, config, promised },
      { topic: topicNames.deadLetter(topic), partitions: 1, config, promised },
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

/** Set on the topic itself, not a default of the brokers. */
const dynamicTopicConfig = 1;

/**
 * Sets what is promised and differs. AlterConfigs replaces all settings of a topic, so what is set on it already is sent along: it
 * may be an operator's. A topic of which nothing differs is left alone.
 */
const alterTopics = async (admin: Admin, wanted: readonly Wanted[]) => {
  if (wanted.length === 0) return;
  const type = kafkajs.ConfigResourceTypes.TOPIC;
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: wanted.map(({ topic }) => ({ type, name: topic })),
  });
  const resources = wanted.flatMap(({ topic, promised }) => {
    const entries = described.resources.find(({ resourceName }) => resourceName === topic)?.configEntries;
    if (entries === undefined) throw new Error(`The settings of topic ${topic} cannot be read`);
    const isKept = ({ name, value }: Setting) =>
      entries.some(({ configName, configValue }) => configName === name && configValue === value);
    if (promised.every(isKept)) return [];
    const others = entries
      .filter(({ configName, configSource }) => {
        return Number(configSource) === dynamicTopicConfig && promised.every(({ name }) => name !== configName);
      })
      .map(({ configName, configValue }) => ({ name: configName, value: configValue }));
    return [{ type, name: topic, configEntries: [...others, ...promised] }];
  });
  if (resources.length > 0) await admin.alterConfigs({ validateOnly: false, resources });
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
  await alterTopics(
    admin,
    wanted.filter(({ topic }) => existing.has(topic)),
  );
};

/** Creates what is missing and sets what is promised and differs: every topic with its dead-letter topic, and every schema. */
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
    const wanted = [...wantedTopics(topicNames, options), ...wantedPublicTopics(options)];
    await untilReady(() => provisionTopics(admin, wanted, options), { ...patience, isTransient });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
  const register = (work: () => Promise<unknown>) =>
    untilReady(work, { ...patience, isTransient: (error) => error instanceof BrokerUnavailableError });
  for (const contract of options.contracts ?? allMessages) await register(() => registry.register(contract));
  for (const subject of options.publicSubjects ?? []) await register(() => registry.registerPublic(subject));
};
