import { setTimeout as delay } from 'node:timers/promises';
import { connectUncounted } from '../measuring/use.ts';

const publishedWithinMs = 120_000;

/** Reads from the tables what stamping has confirmed and notifications has appended and published. */
export async function openEventLog(databaseUrl: string) {
  const client = await connectUncounted(databaseUrl);
  const number = async (text: string): Promise<number> => Number((await client.query<{ n: string }>(text)).rows[0]?.n);
  const appended = () => number('select coalesce(sum(position), 0) as n from notifications.accounts');
  const unpublished = () => number('select count(*) as n from notifications.unpublished');
  const confirmedStamps = () => number(`select count(*) as n from stamping.stamps where status = 'confirmed'`);
  const [events, stamps] = [await appended(), await confirmedStamps()];
  return {
    confirmedStamps,
    /** Resolves when this many public events of each stamp since the beginning are appended, and all are published. */
    async untilPublished(eventsPerStamp: number, signal: AbortSignal): Promise<void> {
      for (const deadline = performance.now() + publishedWithinMs; ; await delay(50, undefined, { signal })) {
        const wanted = events + eventsPerStamp * ((await confirmedStamps()) - stamps);
        const [had, waiting] = [await appended(), await unpublished()];
        if (had >= wanted && waiting === 0) return;
        if (performance.now() > deadline)
          throw new Error(`no result: ${had} events of ${wanted} were appended, and ${waiting} wait`);
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
