import { setTimeout as delay } from 'node:timers/promises';
import { connectUncounted } from '../measuring/use.ts';

/** What stamping has confirmed, and notifications has appended and published, read from their tables. */
export type EventLog = {
  confirmedStamps(): Promise<number>;
  /** Resolves when this many public events of each stamp since the beginning are appended, and all are published. */
  untilPublished(eventsPerStamp: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

const publishedWithinMs = 120_000;

export async function openEventLog(databaseUrl: string): Promise<EventLog> {
  const client = await connectUncounted(databaseUrl);
  const number = async (text: string): Promise<number> => Number((await client.query<{ n: string }>(text)).rows[0]?.n);
  const appended = () => number('select coalesce(sum(position), 0) as n from notifications.accounts');
  const unpublished = () => number('select count(*) as n from notifications.unpublished');
  const confirmedStamps = () => number(`select count(*) as n from stamping.stamps where status = 'confirmed'`);
  const [events, stamps] = [await appended(), await confirmedStamps()];
  return {
    confirmedStamps,
    async untilPublished(eventsPerStamp, signal) {
      for (const deadline = performance.now() + publishedWithinMs; ; await delay(50, undefined, { signal })) {
        const wanted = events + eventsPerStamp * ((await confirmedStamps()) - stamps);
        const [had, waiting] = [await appended(), await unpublished()];
        if (had >= wanted && waiting === 0) return;
        if (performance.now() > deadline)
          throw new Error(`no result: ${had} events of ${wanted} were appended, and ${waiting} wait`);
      }
    },
    stop: () => client.end(),
  };
}
