import type { TopicName } from '@indelible/messages';
import type { Admin } from 'kafkajs';
import { type Connection, createKafkaClient } from './kafka-client.ts';
import type { TopicNames } from './topic-names.ts';
import { within } from './until-ready.ts';

export type GroupLagOptions = {
  /** The group that handles each topic. */
  readonly groups: Readonly<Partial<Record<TopicName, string>>>;
  /** Between one look and the next. Default 2,000 ms. */
  readonly intervalMs?: number;
};

export type GroupLag = {
  /** Begins to look; waits for nothing. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Messages of the topic that its group has not handled, as of the last look; undefined when none is known. */
  of(topic: TopicName): number | undefined;
};

/** The brokers are asked for at most so long; a look that takes longer has failed. */
const lookTimeoutMs = 10_000;
/** So long a look tells something; without a newer one nothing is known. */
const validMs = 30_000;

type Look = { readonly at: number; readonly lags: ReadonlyMap<TopicName, number> };

/**
 * Looks now and then at how far groups are behind their topics, from outside of them: also when no member of the group
 * lives. A fault makes it known to nobody, so who bounds something by it must have another bound for brokers that are away.
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
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;

  const lagOf = async (from: Admin, topic: TopicName, groupId: string): Promise<number> => {
    const full = topicNames.full(topic);
    // What is committed is asked for first: the other way round a group that keeps up might seem to be ahead.
    const [committed] = await from.fetchOffsets({ groupId: topicNames.group(groupId), topics: [full] });
    const next = new Map(committed?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
    let lag = 0n;
    for (const { partition, low, high } of await from.fetchTopicOffsets(full)) {
      const first = BigInt(low);
      const handled = next.get(partition) ?? -1n;
      lag += BigInt(high) - (handled > first ? handled : first);
    }
    return Number(lag);
  };

  const lookNow = async (): Promise<void> => {
    const at = performance.now();
    admin ??= client.admin();
    const current = admin;
    await current.connect();
    const lags = new Map<TopicName, number>();
    for (const [topic, groupId] of watched) lags.set(topic, await lagOf(current, topic, groupId));
    last = { at, lags };
  };

  const disconnect = async (): Promise<void> => {
    const gone = admin;
    admin = undefined;
    await gone?.disconnect().catch(() => undefined);
  };

  const look = async (): Promise<void> => {
    try {
      await within(lookTimeoutMs, 'Looking at the lag of groups', lookNow());
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
  };
};
