import type { Hex } from '@indelible/identifiers';
import type { Client } from '@indelible/postgres';
import { type LoggedEvent, setOf } from '@indelible/public-events';
import type { NewEvent } from '../decisions/event-of.ts';
import { type SequenceCount, savePositions, sequenceKey, takeSequences } from '../tables/counters.ts';
import { appendRows, type LogRow } from '../tables/log.ts';

/** Readers and the relay process whole rows, so they are small. */
const mostEvents = 200;

/**
 * Appends events, in order, to the logs of their accounts, which the transaction has locked.
 * @param positions ends of the logs
 */
export async function appendToLog(
  client: Client,
  events: readonly NewEvent[],
  positions: ReadonlyMap<Hex, number>,
): Promise<void> {
  if (events.length === 0) return;
  const counts = new Map<string, SequenceCount>();
  for (const { account, event } of events) {
    const set = setOf(event);
    const key = sequenceKey(account, set);
    counts.set(key, { account, set, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const last = await takeSequences(client, [...counts.values()]);
  const next = new Map([...counts].map(([key, { count }]) => [key, (last.get(key) as number) - count + 1]));

  const byAccount = new Map<Hex, LoggedEvent[]>();
  for (const { account, event } of events) {
    const key = sequenceKey(account, setOf(event));
    const sequence = next.get(key) as number;
    next.set(key, sequence + 1);
    const own = byAccount.get(account);
    const logged = { ...event, sequence };
    if (own === undefined) byAccount.set(account, [logged]);
    else own.push(logged);
  }
  const rows: LogRow[] = [];
  const ends = new Map<Hex, number>();
  for (const [account, own] of byAccount) {
    let position = positions.get(account) ?? 0;
    for (let at = 0; at < own.length; at += mostEvents) {
      const part = own.slice(at, at + mostEvents);
      position += part.length;
      rows.push({ account, position, events: part });
    }
    ends.set(account, position);
  }
  await savePositions(client, ends);
  await appendRows(client, rows);
}
