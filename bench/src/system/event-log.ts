import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '@indelible/identifiers';
import { connectUncounted } from './connect-uncounted.ts';

/** What notifications has appended and published so far, read of its own tables. */
export type EventLog = {
  /** Events that were ever appended, of all accounts. */
  appended(): Promise<number>;
  /** The end of an account's log, and how many events its collections have up to there. */
  endOf(account: Hex, sets: readonly Hex[]): Promise<{ readonly position: number; readonly events: number }>;
  /** Stamps that are confirmed, as stamping has them; of all accounts when none is given. */
  confirmedStamps(account?: Hex): Promise<number>;
  /** Resolves when so many events were appended and all are published. @throws Error when they are not in time */
  untilPublished(atLeast: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

const publishedWithinMs = 120_000;
const lookMs = 50;

const bytesOf = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');

export async function openEventLog(databaseUrl: string): Promise<EventLog> {
  const client = await connectUncounted(databaseUrl);
  const number = async (text: string, values: unknown[] = []): Promise<number> => {
    const { rows } = await client.query<{ n: string }>(text, values);
    return Number(rows[0]?.n);
  };
  const appended = () => number('select coalesce(sum(position), 0) as n from notifications.accounts');
  const unpublished = () => number('select count(*) as n from notifications.unpublished');
  return {
    appended,
    async endOf(account, sets) {
      const { rows } = await client.query<{ position: string; events: string }>(
        `select (select position from notifications.accounts where account = $1) as position, coalesce(sum(last), 0) as events
         from notifications.sequences where account = $1 and set_cid = any($2)`,
        [bytesOf(account), sets.map(bytesOf)],
      );
      return { position: Number(rows[0]?.position), events: Number(rows[0]?.events) };
    },
    confirmedStamps: (account) =>
      number(
        `select count(*) as n from stamping.stamps where status = 'confirmed' and ($1::bytea is null or account = $1)`,
        [account === undefined ? null : bytesOf(account)],
      ),
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
