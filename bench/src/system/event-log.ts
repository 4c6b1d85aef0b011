import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** What notifications has appended and published so far, read of its own tables. */
export type EventLog = {
  /** Events that were ever appended, of all accounts. */
  appended(): Promise<number>;
  /** Stamps that are confirmed, as stamping has them. */
  confirmedStamps(): Promise<number>;
  /** Resolves when so many events were appended and all are published. @throws Error when they are not in time */
  untilPublished(atLeast: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

const publishedWithinMs = 120_000;
const lookMs = 50;

export async function openEventLog(databaseUrl: string): Promise<EventLog> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const number = async (text: string): Promise<number> => {
    const { rows } = await client.query<{ n: string }>(text);
    return Number(rows[0]?.n);
  };
  const appended = () => number('select coalesce(sum(position), 0) as n from notifications.accounts');
  const unpublished = () => number('select count(*) as n from notifications.unpublished');
  return {
    appended,
    confirmedStamps: () => number(`select count(*) as n from stamping.stamps where status = 'confirmed'`),
    async untilPublished(atLeast, signal) {
      for (const deadline = performance.now() + publishedWithinMs; ; await delay(lookMs, undefined, { signal })) {
        const [events, waiting] = [await appended(), await unpublished()];
        if (events >= atLeast && waiting === 0) return;
        if (performance.now() > deadline)
          throw new Error(`no result: ${events} events of ${atLeast} were appended, and ${waiting} wait`);
      }
    },
    close: () => client.end(),
  };
}
