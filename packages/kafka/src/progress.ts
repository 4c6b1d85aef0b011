import type { TopicName } from '@indelible/messages';

type Place = {
  readonly topic: TopicName;
  readonly offset: string;
  /** When the oldest message that is not handled was written, in ms since 1970. */
  readonly writtenAt: number;
  /** When the partition last moved, by the monotonic clock. */
  readonly movedAt: number;
};

/** How far a consumer is behind: the oldest unhandled message of each partition. */
export const createProgress = (now: () => number = () => performance.now(), clock: () => number = Date.now) => {
  const places = new Map<string, Place>();
  return {
    /** The message at `offset` is the partition's first unhandled one. */
    waiting(partition: string, topic: TopicName, offset: string, writtenAt: number): void {
      const known = places.get(partition);
      const movedAt = known?.offset === offset ? known.movedAt : now();
      places.set(partition, { topic, offset, writtenAt, movedAt });
    },
    /** All known messages of the partition are handled. */
    done: (partition: string): void => void places.delete(partition),
    clear: (): void => places.clear(),
    /** How old the oldest unhandled message of the topic is. */
    oldestMs(topic: TopicName): number {
      let oldest = 0;
      for (const place of places.values())
        if (place.topic === topic) oldest = Math.max(oldest, clock() - place.writtenAt);
      return oldest;
    },
    /** The longest time that a partition with messages has made no progress. */
    stalledMs(): number {
      let longest = 0;
      for (const { movedAt } of places.values()) longest = Math.max(longest, now() - movedAt);
      return longest;
    },
  };
};

export type Progress = ReturnType<typeof createProgress>;
