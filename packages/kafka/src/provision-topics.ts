// Node does not detect every name of this CommonJS module.
import kafkajs, { type Admin } from 'kafkajs';

export type Setting = { readonly name: string; readonly value: string };
/** `config` applies to a new topic; `promised` is the part of it that also applies to an existing one. */
export type Wanted = {
  readonly topic: string;
  readonly partitions: number;
  readonly config: readonly Setting[];
  readonly promised: readonly Setting[];
};

export type TopicReport = {
  readonly topic: string;
  readonly partitions: number;
  readonly action: 'create' | 'change' | 'none';
  /** Changed settings, before and after. */
  readonly changes: readonly { readonly name: string; readonly from: string | undefined; readonly to: string }[];
  /** Differences left alone: the brokers' tools move replicas. */
  readonly differs: readonly string[];
};

/** An existing topic cannot be changed as wanted, or the brokers refuse it. */
export class ProvisionRefusedError extends Error {
  override readonly name = 'ProvisionRefusedError';
  readonly retryable = false;
}

type Options = {
  readonly dryRun: boolean;
  readonly replicationFactor: number | undefined;
  /** Topics that an earlier attempt created, perhaps unnoticed; this one adds its own. */
  readonly created: Set<string>;
};
/** A topic as it is on the brokers. */
type Found = { readonly partitions: number; readonly replication: number; readonly settings: readonly Entry[] };
type Entry = { readonly name: string; readonly value: string; readonly isOwn: boolean };

const type = kafkajs.ConfigResourceTypes.TOPIC;
/** Set on the topic itself, not a default of the brokers. */
const dynamicTopicConfig = 1;

/** Creates missing topics, and sets promised settings that differ. Several processes may do so at once. */
export const provisionTopics = async (
  admin: Admin,
  wanted: readonly Wanted[],
  { dryRun, replicationFactor, created }: Options,
): Promise<readonly TopicReport[]> => {
  await admin.connect();
  const found = await findTopics(admin, wanted);
  checkPartitions(wanted, found);
  const missing = wanted.filter(({ topic }) => !found.has(topic));
  if (missing.length > 0 && !dryRun) {
    for (const { topic } of missing) created.add(topic);
    await createTopics(admin, missing, replicationFactor);
    // Another process may have made them meanwhile, with other partitions.
    checkPartitions(missing, await findTopics(admin, missing));
  }
  const reports = wanted.map((one) =>
    reportOf(one, created.has(one.topic) ? undefined : found.get(one.topic), replicationFactor),
  );
  if (!dryRun) await alterTopics(admin, wanted, found);
  return reports;
};

const createTopics = async (
  admin: Admin,
  missing: readonly Wanted[],
  replicationFactor: number | undefined,
): Promise<void> => {
  try {
    await admin.createTopics({
      waitForLeaders: true,
      timeout: 15_000,
      topics: missing.map(({ topic, partitions, config }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replicationFactor ?? -1,
        configEntries: [...config],
      })),
    });
  } catch (error) {
    if (!(error instanceof kafkajs.KafkaJSAggregateError)) throw error;
    // Its own message names neither a topic nor a reason.
    const faults = (error.errors as (Error & { topic?: string })[]).map(({ topic, message }) => `${topic}: ${message}`);
    throw new ProvisionRefusedError(`The brokers refuse ${faults.join('; ')}`, { cause: error });
  }
};

const findTopics = async (admin: Admin, wanted: readonly Wanted[]): Promise<ReadonlyMap<string, Found>> => {
  const existing = new Set(await admin.listTopics());
  const names = wanted.map(({ topic }) => topic).filter((topic) => existing.has(topic));
  if (names.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  const described = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type, name })),
  });
  return new Map(
    topics.map(({ name, partitions }) => {
      const entries = described.resources.find(({ resourceName }) => resourceName === name)?.configEntries;
      if (entries === undefined) throw new Error(`The settings of topic ${name} cannot be read`);
      const settings = entries.map(({ configName, configValue, configSource }) => ({
        name: configName,
        value: configValue,
        isOwn: Number(configSource) === dynamicTopicConfig,
      }));
      return [name, { partitions: partitions.length, replication: partitions[0]?.replicas.length ?? 0, settings }];
    }),
  );
};

/** Partitions are never added to an existing topic: keys would move and lose their order. */
const checkPartitions = (wanted: readonly Wanted[], found: ReadonlyMap<string, Found>): void => {
  const faults = wanted.flatMap(({ topic, partitions }) => {
    const actual = found.get(topic)?.partitions;
    return actual === undefined || actual === partitions
      ? []
      : [`Topic ${topic} has ${actual} partitions, ${partitions} are wanted`];
  });
  if (faults.length > 0)
    throw new ProvisionRefusedError(
      `${faults.join('; ')}. Other partitions would move keys and break their order: nothing was changed`,
    );
};

const changesOf = ({ promised }: Wanted, { settings }: Found) =>
  promised.flatMap(({ name, value }) => {
    const from = settings.find((entry) => entry.name === name)?.value;
    return from === value ? [] : [{ name, from, to: value }];
  });

const reportOf = (wanted: Wanted, found: Found | undefined, replicationFactor: number | undefined): TopicReport => {
  const { topic, partitions } = wanted;
  if (found === undefined) return { topic, partitions, action: 'create', changes: [], differs: [] };
  const changes = changesOf(wanted, found);
  const differs =
    replicationFactor === undefined || found.replication === replicationFactor
      ? []
      : [`replication is ${found.replication}, ${replicationFactor} is wanted: reassign its partitions`];
  return { topic, partitions, action: changes.length > 0 ? 'change' : 'none', changes, differs };
};

/**
 * AlterConfigs replaces all settings of a topic, so existing ones are sent along: they may be an operator's. Topics
 * without differences are left alone.
 */
const alterTopics = async (
  admin: Admin,
  wanted: readonly Wanted[],
  found: ReadonlyMap<string, Found>,
): Promise<void> => {
  const resources = wanted.flatMap((one) => {
    const { topic, promised } = one;
    const there = found.get(topic);
    if (there === undefined || changesOf(one, there).length === 0) return [];
    const others = there.settings.filter(
      ({ name, isOwn }) => isOwn && promised.every((setting) => setting.name !== name),
    );
    const configEntries = [...others.map(({ name, value }) => ({ name, value })), ...promised];
    return [{ type, name: topic, configEntries }];
  });
  if (resources.length > 0) await admin.alterConfigs({ validateOnly: false, resources });
};
