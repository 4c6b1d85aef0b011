import { type TopicName, topics } from '@indelible/messages';
import type { Admin } from 'kafkajs';
import { headerText } from './cloud-event.ts';
import type { IncomingRecord } from './codec.ts';
import { fromDeadLetter, isEnvelopeHeader, reasonOf } from './dead-letter.ts';
import { MessageInvalidError } from './errors.ts';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import { createProducerSession } from './producer-session.ts';
import { readRecords } from './read-records.ts';
import { openEnds, replayGroup } from './replay.ts';
import type { TopicNames } from './topic-names.ts';
import { readTopicOffsets } from './topic-offsets.ts';

/** Where a letter is in the dead-letter topic. */
export type LetterPlace = { readonly partition: number; readonly offset: bigint };

/** A message that was set aside, for display. */
export type DeadLetter = LetterPlace & {
  /** The consumer group that could not handle it, and why; absent if not one of our dead letters. */
  readonly group?: string;
  readonly errorName?: string;
  readonly errorMessage?: string;
  readonly time?: string;
  readonly attempts?: number;
  readonly key: string | null;
  /** The headers of the message itself. */
  readonly envelope: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
};

const patience = { connectionTimeoutMs: 3000, requestTimeoutMs: 10_000, retries: 3 };

const toLetter = (record: IncomingRecord): DeadLetter => ({
  partition: record.partition,
  offset: BigInt(record.offset),
  ...reasonOf(record.headers),
  key: record.key === null ? null : record.key.toString(),
  envelope: Object.fromEntries(
    Object.keys(record.headers).flatMap((name) => {
      const text = isEnvelopeHeader(name) ? headerText(record.headers, name) : undefined;
      return text === undefined ? [] : [[name, text]];
    }),
  ),
  value: typeof record.value === 'string' ? Buffer.from(record.value) : record.value,
});

const notThere = (topic: TopicName, { partition, offset }: LetterPlace): MessageInvalidError =>
  new MessageInvalidError(`${topic} has no dead letter ${partition}:${offset}`);

/** Dead letters for people: those that are neither replayed nor discarded. */
export const createDeadLetters = (dependencies: { connection: Connection; topicNames: TopicNames }) => {
  const { connection, topicNames } = dependencies;

  const withAdmin = async <Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> => {
    const admin = createKafkaClient(connection, patience).admin();
    try {
      await admin.connect();
      return await work(admin);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  };

  const open = (admin: Admin, topic: TopicName) =>
    openEnds(connection, admin, topicNames.deadLetter(topic), topicNames.group(replayGroup(topic)));

  /** @throws MessageInvalidError when there is no such letter */
  const read = async (topic: TopicName, { partition, offset }: LetterPlace): Promise<IncomingRecord> => {
    const full = topicNames.deadLetter(topic);
    const isThere = (await readTopicOffsets(connection, [full])).some(
      ({ low, high, ...place }) => place.partition === partition && low <= offset && offset < high,
    );
    const range = { partition, from: offset, end: offset + 1n };
    const [record] = isThere ? await readRecords(connection, full, [range], 1) : [];
    if (record === undefined) throw notThere(topic, { partition, offset });
    return record;
  };

  /** The group continues at `next`. */
  const moveTo = (admin: Admin, topic: TopicName, partition: number, next: bigint): Promise<unknown> =>
    admin.setOffsets({
      groupId: topicNames.group(replayGroup(topic)),
      topic: topicNames.deadLetter(topic),
      partitions: [{ partition, offset: String(next) }],
    });

  return {
    /** How many letters each topic has. */
    count: (): Promise<ReadonlyMap<TopicName, number>> =>
      withAdmin(async (admin) => {
        const counts = new Map<TopicName, number>();
        for (const topic of Object.keys(topics) as TopicName[]) {
          let count = 0n;
          for (const { from, end } of await open(admin, topic)) count += end - from;
          counts.set(topic, Number(count));
        }
        return counts;
      }),

    /** The oldest letters of a topic, at most `limit`. */
    async list(topic: TopicName, limit: number): Promise<readonly DeadLetter[]> {
      const ranges = await withAdmin((admin) => open(admin, topic));
      return (await readRecords(connection, topicNames.deadLetter(topic), ranges, limit)).map(toLetter);
    },

    /** @throws MessageInvalidError when there is no such letter */
    show: async (topic: TopicName, place: LetterPlace): Promise<DeadLetter> => toLetter(await read(topic, place)),

    /**
     * Publishes one letter to its topic again. It stays listed unless it is the first; repeated replays take effect
     * once (I5). Discarded letters are not replayed: content that only they name may be deleted.
     * @throws MessageInvalidError when there is no such letter, BrokerUnavailableError
     */
    async replay(topic: TopicName, place: LetterPlace): Promise<void> {
      const listed = (await withAdmin((admin) => open(admin, topic))).some(
        ({ partition, from, end }) => partition === place.partition && from <= place.offset && place.offset < end,
      );
      if (!listed) throw notThere(topic, place);
      const record = await read(topic, place);
      const session = createProducerSession(connection);
      try {
        await session.start();
        await session.send([fromDeadLetter(record, topicNames.full(topic))]);
      } finally {
        await session.stop();
      }
      await withAdmin(async (admin) => {
        const ranges = await open(admin, topic);
        const isFirst = ranges.some(({ partition, from }) => partition === place.partition && from === place.offset);
        if (isFirst) await moveTo(admin, topic, place.partition, place.offset + 1n);
      });
    },

    /**
     * Skips a letter and all before it, which are then neither listed nor replayed; the records stay in the topic.
     * `dry`: only counts. @returns how many they are
     */
    discard: (topic: TopicName, through: LetterPlace, dry: boolean): Promise<number> =>
      withAdmin(async (admin) => {
        const range = (await open(admin, topic)).find(({ partition }) => partition === through.partition);
        if (range === undefined || through.offset < range.from || through.offset >= range.end)
          throw new MessageInvalidError(
            `${topic} has no dead letter ${through.partition}:${through.offset} to discard`,
          );
        if (!dry) await moveTo(admin, topic, through.partition, through.offset + 1n);
        return Number(through.offset + 1n - range.from);
      }),
  };
};

export type DeadLetters = ReturnType<typeof createDeadLetters>;
