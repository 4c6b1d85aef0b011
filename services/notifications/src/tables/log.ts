import { bytesOfHex, type Hex } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import type { LoggedEvent } from '@indelible/public-events';
import { schema } from '../migrations/migrations.ts';

/** Events of one account that were appended together; the last has the row's position, those before it the ones below. */
export type LogRow = { readonly account: Hex; readonly position: number; readonly events: readonly LoggedEvent[] };

/** On which all readers of the log, and what publishes it, are woken. */
export const logChannel = `${schema}_log`;
/** Postgres takes less than 8,000 bytes. */
const maxPayload = 7_900;

/** The accounts that have new events, for readers; empty when it is about too many to name. */
const payloadOf = (accounts: readonly Hex[]): string => {
  const text = accounts.join(' ');
  return text.length > maxPayload ? '' : text;
};

export async function appendRows(client: Client, rows: readonly LogRow[]): Promise<void> {
  await client.query({
    name: 'append-log',
    text: `with appended as (
             insert into log (account, position, events_count, events)
             select * from unnest($1::bytea[], $2::bigint[], $3::int[], $4::json[])
           ), listed as (
             insert into unpublished (account, position) select * from unnest($1::bytea[], $2::bigint[])
           ) select pg_notify($5, $6)`,
    values: [
      arrayOf.bytea(rows.map(({ account }) => account)),
      arrayOf.bigint(rows.map(({ position }) => position)),
      arrayOf.int(rows.map(({ events }) => events.length)),
      arrayOf.json(rows.map(({ events }) => JSON.stringify(events))),
      logChannel,
      payloadOf([...new Set(rows.map(({ account }) => account))]),
    ],
  });
}

/** The next rows of an account's log; at most `limit`, and of `bytes` as they are stored, but one in any case. */
export async function readRows(
  database: Pick<Database, 'query'>,
  account: Hex,
  after: number,
  limit: number,
  bytes: number,
): Promise<readonly Omit<LogRow, 'account'>[]> {
  const { rows } = await database.query<{ position: number; events: LoggedEvent[] }>({
    name: 'read-log',
    text: `select position, events from (
             select position, events,
               sum(pg_column_size(events)) over (order by position) - pg_column_size(events) as bytes_before
             from (select * from log where account = $1 and position > $2 order by position limit $3) as next) as n
           where bytes_before < $4 order by position`,
    values: [bytesOfHex(account), after, limit, bytes],
  });
  return rows;
}

/** The position after which an account's events were appended at that time or later; its last one when there are none. */
export async function positionAt(database: Pick<Database, 'query'>, account: Hex, since: Date): Promise<number> {
  const { rows } = await database.query<{ position: number }>({
    name: 'position-at',
    text: `select coalesce(
             (select position - events_count from log where account = $1 and appended_at >= $2
              order by appended_at, position limit 1),
             (select position from accounts where account = $1), 0) as position`,
    values: [bytesOfHex(account), since],
  });
  return rows[0]?.position ?? 0;
}
