import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { publicTopicDefaults, publicTopicOf } from '@indelible/public-events';
import type { Quantiles } from '../measuring/quantiles.ts';
import type { EventLog } from './event-log.ts';
import { startSideProcess } from './side-process.ts';
import type { System } from './start-system.ts';

export type PublicTopicSettings = { readonly kafkaBrokers: string; readonly topic: string; readonly groupId: string };

/** What a subscriber of the public topic has had since its beginning. */
export type TopicReading = {
  /** Distinct events: sequences without repeats. */
  readonly events: number;
  /** Events that did not follow the one before in their collection. */
  readonly outOfOrder: number;
  /** Of confirmed stamps since the last time it was asked: from StampConfirmed's time to the record's arrival. */
  readonly late: { readonly stamps: number; readonly ms: Quantiles } | null;
};

export type PublicTopic = {
  /** Resolves when it has had all that was appended; what comes then is counted as late. */
  caughtUp(): Promise<void>;
  /** Resolves when it has had the confirmations of so many stamps since it was asked last: how late they were. */
  untilConfirmed(stamps: number): Promise<Quantiles>;
  stop(): Promise<void>;
};

const hadWithinMs = 60_000;

/** Starts a subscriber of the public topic, from its beginning, in a process of its own. It takes no loss and no disorder. */
export async function readPublicTopic(
  { connection: { kafkaBrokers }, topicPrefix }: System,
  log: Pick<EventLog, 'appended'>,
  signal: AbortSignal,
): Promise<PublicTopic> {
  const topic = publicTopicOf(`${topicPrefix}${publicTopicDefaults.prefix}`);
  const settings: PublicTopicSettings = { kafkaBrokers, topic, groupId: `bench-${randomUUID()}` };
  const { url, stop } = await startSideProcess(join(import.meta.dirname, 'public-topic-process.ts'), settings, signal);
  const ask = async (path: '/' | '/take'): Promise<TopicReading> =>
    (await (await fetch(new URL(path, url), { signal })).json()) as TopicReading;
  const until = async (what: string, isThere: (reading: TopicReading) => Promise<boolean>): Promise<TopicReading> => {
    for (const deadline = performance.now() + hadWithinMs; ; await delay(50, undefined, { signal })) {
      const reading = await ask('/');
      if (reading.outOfOrder > 0)
        throw new Error(`no result: ${reading.outOfOrder} events were not in the order of their collection`);
      if (await isThere(reading)) return ask('/take');
      if (performance.now() > deadline)
        throw new Error(`no result: a subscriber did not have ${what}, but ${JSON.stringify(reading)}`);
    }
  };
  return {
    async caughtUp() {
      await until('all that was appended', async ({ events }) => events === (await log.appended()));
    },
    async untilConfirmed(stamps) {
      const { late } = await until(`${stamps} confirmed stamps`, async (reading) => {
        const had = reading.late?.stamps ?? 0;
        if (had > stamps) throw new Error(`no result: ${had} confirmations of ${stamps} stamps`);
        return had === stamps;
      });
      if (late === null) throw new Error('no result: no stamp was confirmed');
      return late.ms;
    },
    stop,
  };
}
