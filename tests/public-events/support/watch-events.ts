import type { Stack } from '@indelible/launcher';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import { metricOf } from '../../outages/support/disturbances.ts';
import { faultsOf, idsThatDiffer } from './check-events.ts';
import { distinct, type SeenEvent } from './public-event.ts';
import { startLogReader } from './read-log.ts';
import { startTopicReader } from './read-topic.ts';
import { whatHappened } from './what-happened.ts';

type Pool = Parameters<typeof whatHappened>[0];

/** Subscribers of all ways that events take, which read all the time. */
export type EventWatch = Awaited<ReturnType<typeof watchEvents>>;

/**
 * Begins to read the public topic, and the logs of these accounts.
 * @param topicPrefix of the stack
 */
export async function watchEvents(
  { stack, pool, topicPrefix }: { readonly stack: Stack; readonly pool: Pool; readonly topicPrefix: string },
  accounts: readonly string[],
) {
  const { connection, services } = stack;
  const notifications = services.notifications.internalUrl;
  const topic = await startTopicReader({
    brokers: connection.kafkaBrokers,
    topic: publicTopicOf(`${topicPrefix}${publicTopicDefaults.prefix}`),
    group: `${topicPrefix}event-watch`,
  });
  const logs = accounts.map((account) => ({ account, reader: startLogReader(notifications, account) }));

  /** Nothing waits in notifications any more, and nothing that it will be given is on its way. */
  async function expectDrained(): Promise<void> {
    const { rows } = await pool.query<{ unpublished: number; early: number }>(
      `select (select count(*)::int from notifications.unpublished) as unpublished,
              (select count(*)::int from notifications.early_files f
               where exists (select from stamping.stamps s where s.id = f.stamp_id)) as early`,
    );
    expect(rows).toEqual([{ unpublished: 0, early: 0 }]);
    expect(await metricOf(notifications, 'indelible_notifications_consumer_lag_messages', {})).toBe(0);
  }

  async function faults(): Promise<readonly string[]> {
    const everybody = await whatHappened(pool);
    const found = faultsOf(topic.events, everybody).map((fault) => `topic: ${fault}`);
    const inLogs: SeenEvent[] = [];
    for (const { account, reader } of logs) {
      const own = await whatHappened(pool, [account]);
      found.push(...faultsOf(reader.events, own).map((fault) => `log of ${account}: ${fault}`));
      // Positions are read on from: none comes twice.
      if (distinct(reader.events).length !== reader.events.length) found.push(`log of ${account}: an event came twice`);
      inLogs.push(...reader.events);
    }
    const watched = new Set(accounts.map((account) => account.toLowerCase()));
    const onTopic = topic.events.filter(({ key }) => watched.has(key.split('/')[0] as string));
    const apart = idsThatDiffer(onTopic, inLogs);
    if (apart.length > 0) found.push(`${apart.length} ids are not both in the topic and in the logs`);
    return found;
  }

  return {
    topic,
    /** Of an account, as its log has them. */
    logOf: (account: string): readonly SeenEvent[] => logs.find((log) => log.account === account)?.reader.events ?? [],
    /** Every subscriber has each event of what happened once, in order, and nothing else (I5). */
    async untilWhole(timeoutMs: number): Promise<void> {
      await eventually(
        async () => {
          await expectDrained();
          expect(await faults()).toEqual([]);
        },
        { timeoutMs, intervalMs: 500 },
      );
    },
    /** Every confirmed stamp's block is final, as far as stamping knows. */
    untilFinal: (timeoutMs: number) =>
      eventually(async () => expect((await whatHappened(pool)).open).toBe(0), { timeoutMs, intervalMs: 500 }),
    counts: () => ({ received: topic.events.length, distinct: distinct(topic.events).length }),
    async stop(): Promise<void> {
      await Promise.all([topic.stop(), ...logs.map(({ reader }) => reader.stop())]);
    },
  };
}
