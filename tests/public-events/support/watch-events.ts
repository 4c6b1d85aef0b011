import type { Stack } from '@indelible/launcher';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import { metricOf } from '../../outages/support/disturbances.ts';
import { faultsOf, idsThatDiffer } from './check-events.ts';
import { startLogReader } from './read-log.ts';
import { startTopicReader } from './read-topic.ts';
import { eventsOf, inSequence, repeats, type Subscriber } from './subscriber.ts';
import { whatHappened } from './what-happened.ts';

type Pool = Parameters<typeof whatHappened>[0];

/** Where events come from. */
type WatchedStack = {
  readonly connection: Pick<Stack['connection'], 'kafkaBrokers'>;
  readonly services: { readonly notifications: Pick<Stack['services']['notifications'], 'internalUrl'> };
};

/** Subscribers of all ways that events take. */
export type EventWatch = Awaited<ReturnType<typeof watchEvents>>;

/**
 * Begins to read the public topic, and the logs of these accounts.
 * @param topicPrefix of the stack
 * @param others who read already
 */
export async function watchEvents(
  { stack, pool, topicPrefix }: { readonly stack: WatchedStack; readonly pool: Pool; readonly topicPrefix: string },
  accounts: readonly string[],
  others: readonly Subscriber[] = [],
) {
  const { connection, services } = stack;
  const notifications = services.notifications.internalUrl;
  const topic = startTopicReader({
    brokers: connection.kafkaBrokers,
    topic: publicTopicOf(`${topicPrefix}${publicTopicDefaults.prefix}`),
    group: `${topicPrefix}event-watch`,
  });
  const subscribers: readonly Subscriber[] = [
    topic,
    ...accounts.map((account) => startLogReader(notifications, account)),
    ...others,
  ];

  /** Nothing waits in notifications any more. */
  async function expectDrained(): Promise<void> {
    const { rows } = await pool.query<{ unpublished: number; early: number }>(
      `select (select count(*)::int from notifications.unpublished) as unpublished,
              (select count(*)::int from notifications.early_files f
               where exists (select from stamping.stamps s where s.id = f.stamp_id)) as early`,
    );
    expect(rows).toEqual([{ unpublished: 0, early: 0 }]);
    expect(await metricOf(notifications, 'indelible_consumer_lag_messages', { group: 'notifications' })).toBe(0);
  }

  async function faultsIn(subscriber: Subscriber): Promise<readonly string[]> {
    const { name, account, once, events, complaints = [] } = subscriber;
    const found = [
      ...complaints,
      ...faultsOf(inSequence(subscriber), await whatHappened(pool, account === undefined ? undefined : [account])),
    ];
    if (once && repeats(events) > 0) found.push(`${repeats(events)} events came twice`);
    const apart = idsThatDiffer(eventsOf(topic.events, account), events);
    if (apart.length > 0) found.push(`${apart.length} ids are not both here and in the topic`);
    return found.map((fault) => `${name}: ${fault}`);
  }

  return {
    topic,
    /** Every subscriber has each event of what happened once, in order, and nothing else (I5). */
    async untilWhole(timeoutMs: number): Promise<void> {
      await eventually(
        async () => {
          await expectDrained();
          for (const subscriber of subscribers) await subscriber.askAgain?.();
          expect((await Promise.all(subscribers.map(faultsIn))).flat()).toEqual([]);
        },
        { timeoutMs, intervalMs: 500 },
      );
    },
    /** Every confirmed stamp's block is final, as far as stamping knows. */
    untilFinal: (timeoutMs: number) =>
      eventually(async () => expect((await whatHappened(pool)).open).toBe(0), { timeoutMs, intervalMs: 500 }),
    /** By subscriber: what came, and how much of it again. */
    counts: () =>
      Object.fromEntries(subscribers.map(({ name, events }) => [name, `${events.length} (${repeats(events)} again)`])),
    async stop(): Promise<void> {
      await Promise.all(subscribers.map((subscriber) => subscriber.stop()));
    },
  };
}
