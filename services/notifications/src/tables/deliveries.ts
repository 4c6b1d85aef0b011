import type { Hex } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import { fromLogBody, type LoggedEvent } from '@indelible/public-events';
import type { DueDelivery, Result, Waiting } from '../decisions/deliveries.ts';

type Queries = Pick<Database, 'query'> | Client;

/** The last ones of each delivery. */
const mostAttempts = 20;

/**
 * Stores results; a further attempt is added to the row's. A delivered one stays delivered, whatever a former leader
 * writes late, unless it was requested again. A delivery with a row that only waits behind another keeps its row.
 * @param results each of a different event
 */
export async function recordResults(client: Client, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return;
  await client.query({
    name: 'record-deliveries',
    text: `insert into deliveries as d
             (webhook_id, position, event_id, type, set_cid, status, tries, again, next_attempt_at, attempts)
           select r.* from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::bytea[], $6::text[], $7::int[], $8::boolean[],
             $9::timestamptz[], $10::jsonb[]) as r (webhook_id)
           cross join lateral (select from webhooks where webhook_id = r.webhook_id limit 1) as w
           order by 1, 2
           on conflict (webhook_id, position) do update set
             status = case when d.status = 'delivered' and not excluded.again then d.status else excluded.status end,
             tries = excluded.tries, again = excluded.again,
             next_attempt_at = case when d.status = 'delivered' and not excluded.again then null else excluded.next_attempt_at end,
             attempts = (case when jsonb_array_length(d.attempts) >= ${mostAttempts} then d.attempts - 0 else d.attempts end)
               || excluded.attempts,
             noted_at = now()
           where excluded.attempts <> '[]'`,
    values: [
      arrayOf.uuid(results.map((result) => result.webhookId)),
      arrayOf.bigint(results.map((result) => result.position)),
      arrayOf.uuid(results.map((result) => result.eventId)),
      arrayOf.text(results.map((result) => result.type)),
      arrayOf.bytea(results.map((result) => (result.set === '' ? '0x' : result.set))),
      arrayOf.text(results.map((result) => result.status)),
      arrayOf.int(results.map((result) => result.tries)),
      arrayOf.boolean(results.map((result) => result.again)),
      arrayOf.timestamptz(results.map((result) => result.nextAttemptAt)),
      arrayOf.jsonb(results.map(({ attempt }) => JSON.stringify(attempt === undefined ? [] : [attempt]))),
    ],
  });
}

/** Which waiting deliveries of a webhook to read. */
export type DueQuery = {
  readonly webhookId: string;
  readonly account: Hex;
  readonly ordered: boolean;
  /** Positions in flight. */
  readonly except: readonly number[];
};

/** The next deliveries of webhooks to retry, at most `limit` of each, by due time. */
export async function readDue(
  database: Queries,
  webhooks: readonly DueQuery[],
  limit: number,
): Promise<ReadonlyMap<string, readonly DueDelivery[]>> {
  type Row = {
    webhook_id: string;
    position: number;
    tries: number;
    again: boolean;
    next_attempt_at: Date;
    last: number;
    set: string;
    events: unknown;
  };
  const { rows } = await database.query<Row>({
    name: 'read-due',
    text: `select w.webhook_id, d.position, d.tries, d.again, d.next_attempt_at, encode(d.set_cid, 'hex') as set,
             l.position as last, l.events
           from unnest($1::uuid[], $2::bytea[], $3::boolean[], $4::text[]) as w (webhook_id, account, ordered, excepted)
           cross join lateral (
             select * from deliveries d where d.webhook_id = w.webhook_id and d.status = 'waiting'
               and d.position <> all(w.excepted::bigint[])
               and (not w.ordered or d.again or not exists (select from deliveries e where e.webhook_id = w.webhook_id
                 and e.status = 'waiting' and not e.again and e.set_cid = d.set_cid and e.position < d.position))
             order by d.next_attempt_at limit $5) as d
           cross join lateral (
             select position, events from log where account = w.account and position >= d.position order by position limit 1) as l
           order by d.next_attempt_at, d.position`,
    values: [
      arrayOf.uuid(webhooks.map(({ webhookId }) => webhookId)),
      arrayOf.bytea(webhooks.map(({ account }) => account)),
      arrayOf.boolean(webhooks.map(({ ordered }) => ordered)),
      arrayOf.text(webhooks.map(({ except }) => `{${except.join(',')}}`)),
      limit,
    ],
  });
  const due = new Map<string, DueDelivery[]>(webhooks.map(({ webhookId }) => [webhookId, []]));
  for (const row of rows) {
    const events = fromLogBody(row.events);
    due.get(row.webhook_id)?.push({
      position: row.position,
      event: events[events.length - 1 - (row.last - row.position)] as LoggedEvent,
      set: setIn(row.set),
      tries: row.tries,
      again: row.again,
      dueAt: row.next_attempt_at.getTime(),
    });
  }
  return due;
}

const setIn = (hex: string): string => (hex === '' ? '' : `0x${hex}`);

/** The waiting deliveries of webhooks; omits webhooks without any. */
export async function readWaiting(
  database: Queries,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, Waiting>> {
  type Row = { webhook_id: string; set: string; count: number; again: boolean; oldest: Date; last: number };
  const { rows } = await database.query<Row>({
    name: 'read-waiting',
    text: `select webhook_id, encode(set_cid, 'hex') as set, again, count(*)::int as count, min(began_at) as oldest,
             max(position) as last
           from deliveries where webhook_id = any($1::uuid[]) and status = 'waiting' group by webhook_id, set_cid, again`,
    values: [arrayOf.uuid(webhookIds)],
  });
  return new Map([...Map.groupBy(rows, (row) => row.webhook_id)].map(([id, own]) => [id, waitingIn(own)]));
}

function waitingIn(
  rows: readonly { set: string; count: number; again: boolean; oldest: Date; last: number }[],
): Waiting {
  const inOrder = rows.filter(({ again }) => !again);
  return {
    total: rows.reduce((sum, { count }) => sum + count, 0),
    sets: new Map(inOrder.map(({ set, count }) => [setIn(set), count])),
    oldest: new Date(Math.min(...rows.map(({ oldest }) => oldest.getTime()))),
    last: Math.max(0, ...inOrder.map(({ last }) => last)),
  };
}

/** Keeps only a webhook's newest deliveries, among those not waiting. */
export async function trimDeliveries(database: Queries, webhookId: string, kept: number): Promise<number> {
  const { rowCount } = await database.query({
    name: 'trim-deliveries',
    text: `delete from deliveries where webhook_id = $1 and status <> 'waiting' and position <= (
             select position from deliveries where webhook_id = $1 order by position desc offset $2 limit 1)`,
    values: [webhookId, kept],
  });
  return rowCount ?? 0;
}

export async function forgetDeliveries(database: Queries, before: Date, limit: number): Promise<number> {
  const { rowCount } = await database.query({
    name: 'forget-deliveries',
    text: `delete from deliveries where ctid = any(array(
             select ctid from deliveries where status <> 'waiting' and noted_at < $1 order by noted_at limit $2))`,
    values: [before, limit],
  });
  return rowCount ?? 0;
}
