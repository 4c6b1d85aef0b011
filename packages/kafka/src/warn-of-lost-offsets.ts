import type { Logger } from '@indelible/service-runtime';
import type { Kafka } from 'kafkajs';

/**
 * A group without offsets reads from the beginning: right for a new one, and for one whose offsets are lost (empty for
 * longer than the brokers keep offsets, a broker restored from a backup) the only way to lose nothing. Inboxes drop
 * repeats for as long as they remember. Only people know which case it is. A failed check blocks nothing.
 */
export const warnOfLostOffsets = async (
  client: Kafka,
  { group, groupId, topics, logger }: { group: string; groupId: string; topics: readonly string[]; logger: Logger },
): Promise<void> => {
  const admin = client.admin();
  try {
    await admin.connect();
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: [...topics] })) {
      if (partitions.some(({ offset }) => Number(offset) >= 0)) continue;
      const written = await admin.fetchTopicOffsets(topic);
      if (written.every(({ low, high }) => low === high)) continue;
      logger.warn(
        { group, topic },
        'The group has no offsets for a topic that has messages: it reads from the beginning',
      );
    }
  } catch (error) {
    logger.debug({ err: error }, 'Whether the group has offsets is not known');
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
};
