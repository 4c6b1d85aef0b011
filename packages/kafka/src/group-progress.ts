import type { TopicName } from '@indelible/messages';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { openEnds, replayGroup } from './replay.ts';
import type { TopicNames } from './topic-names.ts';
import { readTopicOffsets } from './topic-offsets.ts';
import { withinTime } from './until-ready.ts';

/** The partition's next offset to write, and the next that its group will handle. */
export type PartitionProgress = { readonly partition: number; readonly end: bigint; readonly handled: bigint };

export type TopicProgress = {
  readonly partitions: readonly PartitionProgress[];
  /** Messages that were set aside, and neither replayed nor discarded. */
  readonly deadLetters: number;
};

const timeoutMs = 30_000;

/**
 * How far groups have handled their topics now, read from outside. Committed offsets are read before the ends: a group
 * that seems to have reached an end has.
 * @throws when the brokers do not answer for all of them within 30 s
 */
export async function readGroupProgress(
  { connection, topicNames }: { readonly connection: Connection; readonly topicNames: TopicNames },
  groups: Readonly<Partial<Record<TopicName, string>>>,
): Promise<ReadonlyMap<TopicName, TopicProgress>> {
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 5000, retries: 1 });
  const admin = client.admin();
  const read = async (): Promise<ReadonlyMap<TopicName, TopicProgress>> => {
    await admin.connect();
    const found = new Map<TopicName, TopicProgress>();
    for (const [topic, group] of Object.entries(groups) as [TopicName, string][]) {
      const full = topicNames.full(topic);
      const [committed] = await admin.fetchOffsets({ groupId: topicNames.group(group), topics: [full] });
      const next = new Map(committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      const partitions = (await readTopicOffsets(connection, [full])).map(({ partition, low, high }) => {
        const handled = next.get(partition) ?? -1n;
        return { partition, end: high, handled: handled > low ? handled : low };
      });
      const letters = await openEnds(
        connection,
        admin,
        topicNames.deadLetter(topic),
        topicNames.group(replayGroup(topic)),
      );
      const deadLetters = letters.reduce((sum, { from, end }) => sum + end - from, 0n);
      found.set(topic, { partitions, deadLetters: Number(deadLetters) });
    }
    return found;
  };
  try {
    return await withinTime(timeoutMs, 'Reading the progress of groups', read());
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
