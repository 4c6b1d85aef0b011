import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';
import { fromLogBody, type LoggedEvent, toLogBody } from '@indelible/public-events';
import { schema } from '../schema.ts';

/** Events of one account appended together; the row has the last one's position, and the others those before it. */
export type LogRow = { readonly account: Hex; readonly position: number; readonly events: readonly LoggedEvent[] };

/** A row of the log as stored. */
export type StoredRow = { readonly position: number; readonly events: unknown };
const rowOf = ({ position, events }: StoredRow): Omit<LogRow, 'account'> => ({
  position,
  events: fromLogBody(events),
});

/** Minimum weight of an event, however short its columns: compressed, and as JSON. */
const leastBytes = { stored: 200, asJson: 1_000 };
export const storedBytes = (row: string): string =>
  `greatest(pg_column_size(${row}.events), ${row}.events_count * ${leastBytes.stored})`;
export const jsonBytes = (row: string): string =>
  `greatest(octet_length(${row}.events::text), ${row}.events_count * ${leastBytes.asJson})`;

/** Channel that wakes all readers and the publisher of the log. */
export const logChannel = `${schema}_log`;
/** Postgres takes less than 8,000 bytes. */
const maxPayload = 7_900;

/** The accounts with new events, for readers; empty when they are too many to name. */
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
      arrayOf.json(rows.map(({ events }) => toLogBody(events))),
      logChannel,
      payloadOf([...new Set(rows.map(({ account }) => account))]),
    ],
  });
}

/** The next rows of an account's log; up to `limit`, and `bytes` as stored, but at least one. */
export async function readRows(
  database: Pick<Database, 'query'>,
  account: Hex,
  after: number,
  limit: number,
  bytes: number,
): Promise<readonly Omit<LogRow, 'account'>[]> {
  const { rows } = await database.query<StoredRow>({
    name: 'read-log',
    text: `select position, events from (
             select position, events,
               sum(${storedBytes('next')}) over (order by position) - ${storedBytes('next')} as bytes_before
             from (select * from log where account = $1 and position > $2 order by position limit $3) as next) as n
           where bytes_before < $4 order by position`,
    values: [bytesOfHex(account), after, limit, bytes],
  });
  return rows.map(rowOf);
}

/**
 * The rows with positions from `first` to `last`, if the log reaches so far, up to one that ends at or after `last`:
 * where positions are missing, a reader thus continues after them. If the log ends earlier, those after `after`.
 * @returns them, and approximately the length of their events as JSON
 */
export async function readBlock(
  database: Pick<Database, 'query'>,
  account: Hex,
  { first, last, after }: { readonly first: number; readonly last: number; readonly after: number },
): Promise<{ readonly rows: readonly Omit<LogRow, 'account'>[]; readonly characters: number }> {
  const { rows } = await database.query<StoredRow & { readonly bytes: number }>({
    name: 'read-log-block',
    text: `select position, events, ${jsonBytes('log')} as bytes from log where account = $1 and position <= $3 and position > (
               select case when exists (select from log where account = $1 and position >= $3) then $2 - 1 else $4 end)
           union all
           select position, events, ${jsonBytes('next')} from (
             select position, events, events_count from log where account = $1 and position > $3
               and not exists (select from log where account = $1 and position = $3) order by position limit 1
           ) as next
           order by position`,
    values: [bytesOfHex(account), first, last, after],
  });
  return { rows: rows.map(rowOf), characters: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/**
 * The next rows of many accounts' logs, in the order of the given accounts; up to `limit` of each, and `bytes` as
 * stored in total, but at least one.
 * @returns them, and whether there may be more
 */
export async function readRowsOfAll(
  database: Pick<Database, 'query'>,
  after: ReadonlyMap<Hex, number>,
  limit: number,
  bytes: number,
): Promise<{ readonly rows: readonly LogRow[]; readonly more: boolean }> {
  const { rows } = await database.query<StoredRow & { readonly account: Buffer; readonly found: number }>({
    name: 'read-logs',
    text: `select account, position, events, found from (
             select wanted.account, wanted.place, next.position, next.events, count(*) over () as found,
               sum(${storedBytes('next')}) over (order by place, position) - ${storedBytes('next')} as bytes_before
             from unnest($1::bytea[], $2::bigint[]) with ordinality as wanted (account, after, place)
               cross join lateral (select position, events, events_count from log
                 where log.account = wanted.account and log.position > wanted.after order by position limit $3) as next) as n
           where bytes_before < $4 order by place, position`,
    values: [arrayOf.bytea([...after.keys()]), arrayOf.bigint([...after.values()]), limit, bytes],
  });
  const taken = new Map<Hex, number>();
  const read = rows.map(({ account: bytes, ...row }) => {
    const account = hexOfBytes(bytes);
    taken.set(account, (taken.get(account) ?? 0) + 1);
    return { account, ...rowOf(row) };
  });
  const more = read.length < (rows[0]?.found ?? 0) || [...taken.values()].includes(limit);
  return { rows: read, more };
}

/** The log's events at these positions, in order. */
export async function readEventsAt(
  client: Client,
  places: readonly { readonly account: Hex; readonly position: number }[],
): Promise<readonly LoggedEvent[]> {
  if (places.length === 0) return [];
  const { rows } = await client.query<StoredRow & { readonly account: Buffer }>({
    name: 'read-events-at',
    // Each row once, however many events of it are read.
    text: `select l.account, l.position, l.events from (
             select distinct p.account, l.position from unnest($1::bytea[], $2::bigint[]) as p (account, position)
             cross join lateral (select position from log where log.account = p.account and log.position >= p.position
               order by position limit 1) as l) as k
           cross join lateral (select account, position, events from log
             where log.account = k.account and log.position = k.position limit 1) as l`,
    values: [
      arrayOf.bytea(places.map(({ account }) => account)),
      arrayOf.bigint(places.map(({ position }) => position)),
    ],
  });
  const found = new Map<string, LoggedEvent>();
  for (const { account, ...row } of rows) {
    const { position, events } = rowOf(row);
    for (const [at, event] of events.entries())
      found.set(`${hexOfBytes(account)} ${position - events.length + 1 + at}`, event);
  }
  return places.map(({ account, position }) => {
    const event = found.get(`${account} ${position}`);
    if (event === undefined) throw new Error(`the log of ${account} has nothing at ${position}`);
    return event;
  });
}

/** Ends of the accounts' logs. */
export async function endsOf(
  database: Pick<Database, 'query'>,
  accounts: readonly Hex[],
): Promise<ReadonlyMap<Hex, number>> {
  const { rows } = await database.query<{ account: Buffer; position: number }>({
    name: 'ends-of-logs',
    text: `select wanted.account, coalesce(known.position, 0) as position from unnest($1::bytea[]) as wanted (account)
             left join lateral (select position from accounts where accounts.account = wanted.account limit 1) as known on true`,
    values: [arrayOf.bytea(accounts)],
  });
  return new Map(rows.map((row) => [hexOfBytes(row.account), row.position]));
}

/** The position after which an account's events were appended at that time or later; its last one without any. */
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
