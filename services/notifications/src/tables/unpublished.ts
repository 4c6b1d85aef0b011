import type { Outbox, OutboxItem } from '@indelible/event-store';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Database } from '@indelible/postgres';
import { jsonBytes, type LogRow, type StoredRow, storedBytes } from './log.ts';

/** A row of the log for the relay: an account's rows are published in order. */
export type UnpublishedRow = OutboxItem &
  Pick<LogRow, 'position'> & { readonly account: Hex; readonly events: unknown };

type Read = StoredRow & {
  readonly account: Buffer;
  readonly count: number;
  readonly size: number;
  readonly appended: number;
};

/** Approximate size of a record besides its value: key, headers, frame. */
const overheadBytes = 700;

const itemOf = ({ account, position, events, count, size, appended }: Read): UnpublishedRow => {
  const hex = hexOfBytes(account);
  const place = { account: hex, stream: hex, version: position, position, events };
  return { ...place, size: size + count * overheadBytes, recordedAt: new Date(appended * 1_000) };
};

/** Limits a selection of `unpublished` to $1 rows and about $2 bytes of the log. */
const cut = (selection: string): string => `
  select account, position, events, events_count as count, ${jsonBytes('rows')} as size,
    extract(epoch from appended_at)::float8 as appended from (
    select u.account, u.position, u.place, l.events, l.events_count, l.appended_at,
      sum(${storedBytes('l')}) over (order by u.place) - ${storedBytes('l')} as bytes_before
    from (${selection} limit $1) as u cross join lateral (
      select events, events_count, appended_at from log where account = u.account and position = u.position limit 1) as l) as rows
  where bytes_before < $2 order by place`;

const keys = (rows: readonly Pick<LogRow, 'account' | 'position'>[]): [Buffer, Buffer] => [
  arrayOf.bytea(rows.map(({ account }) => account)),
  arrayOf.bigint(rows.map(({ position }) => position)),
];

const places = `select u.place from unnest($1::bytea[], $2::bigint[]) as k (account, position) cross join lateral (
  select ctid as place from unpublished where account = k.account and position = k.position limit 1) as u`;

/** Unpublished rows of the log, in the order they were appended. */
export const unpublishedRows = (database: Pick<Database, 'query'>): Outbox<UnpublishedRow> => {
  const remove = async (rows: readonly UnpublishedRow[]): Promise<void> => {
    if (rows.length > 0)
      await database.query({
        name: 'note-published',
        text: `delete from unpublished where ctid = any(array(${places}))`,
        values: keys(rows),
      });
  };
  return {
    async read(bound) {
      const { rows } = await database.query<Read>({
        name: 'read-unpublished',
        text: cut('select account, position, ordinal as place from unpublished where not held order by ordinal'),
        values: [bound.events, bound.bytes],
      });
      return rows.map(itemOf);
    },
    oldestSeconds: () => oldestUnpublished(database),
    hasMore: async () => false,
    published: remove,
    async hold(rows) {
      await database.query({
        name: 'hold-unpublished',
        text: `update unpublished set held = true where ctid = any(array(${places}))`,
        values: keys(rows),
      });
    },
    async heldStreams(limit) {
      const { rows } = await database.query<{ account: Buffer }>({
        name: 'read-held-accounts',
        // Walks the index by account, however many rows each has.
        text: `with recursive held as (
                 (select account from unpublished where held order by account limit 1)
                 union all
                 select (select account from unpublished u where u.held and u.account > held.account order by account limit 1)
                 from held where held.account is not null)
               select account from held where account is not null limit $1`,
        values: [limit],
      });
      return rows.map(({ account }) => hexOfBytes(account));
    },
    async readHeld(account, bound) {
      const { rows } = await database.query<Read>({
        name: 'read-held',
        text: cut(
          'select account, position, position as place from unpublished where held and account = $3 order by position',
        ),
        values: [bound.events, bound.bytes, bytesOfHex(account as Hex)],
      });
      return rows.map(itemOf);
    },
    released: remove,
  };
};

/** Age of the oldest unpublished row, in seconds; 0 without one. */
export async function oldestUnpublished(database: Pick<Database, 'query'>): Promise<number> {
  const { rows } = await database.query<{ seconds: number }>({
    name: 'oldest-unpublished',
    text: `select coalesce(max(extract(epoch from clock_timestamp() - l.appended_at)), 0)::float8 as seconds from (
             (select account, position from unpublished where not held order by ordinal limit 1)
             union all
             (select account, position from unpublished where held order by account, position limit 1)
           ) as u cross join lateral (
             select appended_at from log where account = u.account and position = u.position limit 1) as l`,
  });
  return rows[0]?.seconds ?? 0;
}
