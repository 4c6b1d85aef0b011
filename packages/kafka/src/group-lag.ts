import type { TopicName } from '@indelible/messages';
import type { Admin } from 'kafkajs';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import type { TopicNames } from './topic-names.ts';
import { withinTime } from './until-ready.ts';

export type GroupLagOptions = {
  /** The group that handles each topic. */
  readonly groups: Readonly<Partial<Record<TopicName, string>>>;
  /** Between two polls. Default 2,000 ms. */
  readonly intervalMs?: number;
};

export type GroupLag = {
  /** Starts polling; does not wait. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Messages of the topic that its group has not handled, as of the last poll; undefined if unknown. */
  of(topic: TopicName): number | undefined;
  /**
   * The latest known time, in ms since 1970, before which everything published to the topic has been handled by its
   * group. Undefined until known.
   */
  handledUntil(topic: TopicName): number | undefined;
};

/** The time limit of one poll. */
const lookTimeoutMs = 10_000;
/** How long a result is valid; without a newer one nothing is known. */
const validMs = 30_000;

type Look = { readonly at: number; readonly lags: ReadonlyMap<TopicName, number> };

/** The ends of a topic's partitions at a moment. */
type Mark = { readonly at: number; readonly ends: ReadonlyMap<number, bigint> };
/** A group's progress, and the ends of its topic then. */
type Place = Mark & { readonly handled: ReadonlyMap<number, bigint> };

const reaches = ({ handled }: Pick<Place, 'handled'>, { ends }: Mark): boolean =>
  [...ends].every(([partition, end]) => (handled.get(partition) ?? 0n) >= end);

/**
 * Polls how far groups are behind their topics, from outside: also when a group has no members. After a fault the lag
 * is unknown, so callers that limit something by it need another limit for unavailable brokers.
 */
export const createGroupLag = (
  dependencies: { connection: Connection; topicNames: TopicNames },
  options: GroupLagOptions,
): GroupLag => {
  const { connection, topicNames } = dependencies;
  const watched = Object.entries(options.groups) as [TopicName, string][];
  const intervalMs = options.intervalMs ?? 2_000;
  const client = createKafkaClient(connection, { connectionTimeoutMs: 3000, requestTimeoutMs: 5000, retries: 1 });
  let admin: Admin | undefined;
  let last: Look | undefined;
  const marks = new Map<TopicName, Mark>();
  const handledUntil = new Map<TopicName, number>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;

  const placeOf = async (from: Admin, topic: TopicName, groupId: string): Promise<Place> => {
    const at = Date.now();
    const full = topicNames.full(topic);
    // Committed offsets are read first: otherwise a group that keeps up might seem to be ahead.
    const [committed] = await from.fetchOffsets({ groupId: topicNames.group(groupId), topics: [full] });
    const next = new Map(committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
    const ends = new Map<number, bigint>();
    const handled = new Map<number, bigint>();
    for (const { partition, low, high } of await from.fetchTopicOffsets(full)) {
      const first = BigInt(low);
      const until = next.get(partition) ?? -1n;
      ends.set(partition, BigInt(high));
      handled.set(partition, until > first ? until : first);
    }
    return { at, ends, handled };
  };

  const lagOf = ({ ends, handled }: Place): number =>
    Number([...ends].reduce((sum, [partition, end]) => sum + end - (handled.get(partition) ?? 0n), 0n));

  /** One mark waits at a time: when the group reaches it, the topic's ends are the next. */
  const note = (topic: TopicName, place: Place): void => {
    const waiting = marks.get(topic);
    if (reaches(place, place)) handledUntil.set(topic, place.at);
    else if (waiting !== undefined && reaches(place, waiting)) handledUntil.set(topic, waiting.at);
    else if (waiting !== undefined) return;
    marks.set(topic, place);
  };

  const lookNow = async (): Promise<void> => {
    const at = performance.now();
    admin ??= client.admin();
    const current = admin;
    await current.connect();
    const lags = new Map<TopicName, number>();
    for (const [topic, groupId] of watched) {
      const place = await placeOf(current, topic, groupId);
      lags.set(topic, lagOf(place));
      note(topic, place);
    }
    last = { at, lags };
  };

  const disconnect = async (): Promise<void> => {
    const gone = admin;
    admin = undefined;
    await gone?.disconnect().catch(() => undefined);
  };

  const look = async (): Promise<void> => {
    try {
      await withinTime(lookTimeoutMs, 'Looking at the lag of groups', lookNow());
    } catch (error) {
      if (!stopped) connection.logger.debug({ err: error }, 'The lag of groups is not known');
      await disconnect();
    }
    if (stopped) return disconnect();
    timer = setTimeout(() => {
      looking = look();
    }, intervalMs);
  };

  return {
    async start() {
      looking = look();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
      await disconnect();
    },
    of(topic) {
      if (last === undefined || performance.now() - last.at > validMs) return undefined;
      return last.lags.get(topic);
    },
    handledUntil: (topic) => handledUntil.get(topic),
  };
};
