import type { TopicName } from '@indelible/messages';
import type { Admin } from 'kafkajs';
import { GroupsRunningError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { moveGroup } from './move-group.ts';
import { readOffsetsAt, type TopicOffset } from './offsets-at.ts';
import type { TopicNames } from './topic-names.ts';
import { withinTime } from './until-ready.ts';

/** Groups by their name, with the topics that each handles. */
export type Groups = Readonly<Record<string, readonly TopicName[]>>;

/** How many records of its topics a group handles again. */
export type RewoundGroup = { readonly group: string; readonly records: number };

type Dependencies = { readonly connection: Connection; readonly topicNames: TopicNames };

const timeoutMs = 60_000;
/** A group without members, and one that never existed. */
const stopped = new Set(['Empty', 'Dead']);

async function withAdmin<Result>(
  { connection }: Dependencies,
  use: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 });
  const admin = client.admin();
  try {
    await admin.connect();
    return await withinTime(timeoutMs, 'Looking at groups', use(admin));
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** @throws GroupsRunningError that names those of the groups that have members */
export const checkGroupsStopped = (dependencies: Dependencies, groups: readonly string[]): Promise<void> =>
  withAdmin(dependencies, async (admin) => {
    const named = new Map(groups.map((group) => [dependencies.topicNames.group(group), group]));
    const { groups: described } = await admin.describeGroups([...named.keys()]);
    const running = described
      .filter(({ state }) => !stopped.has(state))
      .map(({ groupId }) => named.get(groupId) ?? groupId);
    if (running.length > 0) throw new GroupsRunningError(running.sort());
  });

/**
 * Makes groups handle again what was written at that time or later. None moves forward, and one that has handled
 * nothing is left alone. Moves them only if all are stopped.
 * @throws GroupsRunningError, before anything is changed
 */
export const rewindGroups = async (
  dependencies: Dependencies,
  groups: Groups,
  since: Date,
): Promise<readonly RewoundGroup[]> => {
  const { connection, topicNames } = dependencies;
  await checkGroupsStopped(dependencies, Object.keys(groups));
  const topics = [...new Set(Object.values(groups).flat())].map((topic) => topicNames.full(topic));
  const starts = await readOffsetsAt(connection, topics, since);
  return Promise.all(
    Object.entries(groups).map(async ([group, ofGroup]) => {
      const groupId = topicNames.group(group);
      const moves = await movesBack(dependencies, groupId, ofGroup.map(topicNames.full), starts);
      await moveGroup(connection, groupId, moves);
      return { group, records: Number(moves.reduce((sum, { from, offset }) => sum + from - offset, 0n)) };
    }),
  );
};

const movesBack = (
  dependencies: Dependencies,
  groupId: string,
  topics: readonly string[],
  starts: readonly TopicOffset[],
): Promise<readonly (TopicOffset & { readonly from: bigint })[]> =>
  withAdmin(dependencies, async (admin) => {
    const committed = await admin.fetchOffsets({ groupId, topics: [...topics] });
    return committed.flatMap(({ topic, partitions }) =>
      partitions.flatMap(({ partition, offset }) => {
        const from = BigInt(offset);
        const start = starts.find((one) => one.topic === topic && one.partition === partition);
        return start === undefined || start.offset >= from ? [] : [{ ...start, from }];
      }),
    );
  });
