import {
  allMessages,
  type MessageContract,
  subjectOf,
  type TopicName,
  topics as topicSettings,
} from '@indelible/messages';
import { createBackoff } from '@indelible/service-runtime';
import { BrokerUnavailableError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { isTransient } from './kafka-faults.ts';
import { provisionTopics, type Setting, type TopicReport, type Wanted } from './provision-topics.ts';
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
  /** Only reports what is missing or differs; creates nothing. */
  dryRun?: boolean;
};

/** What was done, or with `dryRun` would be. */
export type ProvisionReport = { readonly topics: readonly TopicReport[]; readonly schemas: readonly SchemaReport[] };

export type SchemaReport = { readonly subject: string; readonly action: 'register' | 'none' };

/** Its settings are configured; they are also set on an existing topic. */
export type PublicTopic = {
  /** The full name. */
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly cleanupPolicy: 'delete' | 'compact' | 'compact,delete';
};

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
  (Object.keys(topicSettings) as TopicName[]).flatMap((topic) => {
    const { partitions, retentionMs, kind } = topicSettings[topic];
    const kept = [
      { name: 'retention.ms', value: String(retentionMs) },
      // Brokers may limit topics by size by default.
      { name: 'retention.bytes', value: '-1' },
    ];
    const fixed = [{ name: 'cleanup.policy', value: 'delete' }, ...inSyncReplicas(options)];
    const config = [...fixed, ...kept];
    // Operators set how long commands are kept; projections are rebuilt from events (I8).
    const promised = kind === 'events' ? config : fixed;
    return [
      { topic: topicNames.full(topic), partitions, config, promised },
      { topic: topicNames.deadLetter(topic), partitions: 1, config, promised },
    ];
  });

/** Creates missing topics, dead-letter topics and schemas, and sets promised settings that differ. */
export const provision = async (
  dependencies: { connection: Connection; registry: Registry; topicNames: TopicNames },
  options: ProvisionOptions = {},
): Promise<ProvisionReport> => {
  const { connection, registry, topicNames } = dependencies;
  const dryRun = options.dryRun === true;
  const patience = {
    timeoutMs: readyTimeoutMs,
    signal: new AbortController().signal,
    backoff: createBackoff({ firstMs: 100, ceilingMs: 2000 }),
    onFailure: (error: Error, attempt: number) =>
      connection.logger.debug({ err: error, attempt }, 'Provisioning waits for its servers'),
  };
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 20_000, retries: 3 });
  const admin = client.admin();
  let topics: readonly TopicReport[];
  try {
    const wanted = [...wantedTopics(topicNames, options), ...wantedPublicTopics(options)];
    const { replicationFactor } = options;
    const created = new Set<string>();
    topics = await untilReady(() => provisionTopics(admin, wanted, { dryRun, replicationFactor, created }), {
      ...patience,
      isTransient,
    });
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
  const schemas: SchemaReport[] = [];
  const provide = async (
    subject: string,
    work: { readonly holds: () => Promise<boolean>; readonly register: () => Promise<unknown> },
  ): Promise<void> => {
    const isTransient = (error: unknown) => error instanceof BrokerUnavailableError;
    const found = await untilReady(work.holds, { ...patience, isTransient });
    if (!dryRun) await untilReady(work.register, { ...patience, isTransient });
    schemas.push({ subject, action: found ? 'none' : 'register' });
  };
  for (const contract of options.contracts ?? allMessages)
    await provide(subjectOf(contract), {
      holds: () => registry.holds(contract),
      register: () => registry.register(contract),
    });
  for (const subject of options.publicSubjects ?? [])
    await provide(subject.subject, {
      holds: () => registry.holdsPublic(subject),
      register: () => registry.registerPublic(subject),
    });
  return { topics, schemas };
};
