import { fromPackRow } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import type { Outbox, ReadBound } from './outbox.ts';
import { packRowOf, type RecordedEvent } from './recorded-event.ts';
import { setApart } from './set-apart.ts';

const columns = `e.position, e.stream, e.version, e.type, e.type_version as "typeVersion", e.message_id as "messageId",
  e.data, e.record, case when e.record is null then octet_length(e.data::text) else octet_length(e.record) end as size, e.request_id as "requestId", e.traceparent,
  e.recorded_at as "recordedAt"`;

const storedSize = '(pg_column_size(s.data) + coalesce(pg_column_size(s.record), 0))';

/** Cuts a selection of at most $1 events after $2 bytes. The stored size is known without reading the data. */
const cut = (selection: string, order: string): string => `
  select ${columns} from (
    select s.*, sum(${storedSize}) over (order by ${order}) - ${storedSize} as bytes_before
    from (${selection} order by ${order} limit $1) as s) as e
  where e.bytes_before < $2 order by ${order}`;

const keys = (events: readonly RecordedEvent[]): [Buffer, Buffer] => [
  arrayOf.text(events.map(({ stream }) => stream)),
  arrayOf.int(events.map(({ version }) => version)),
];

/** The age of the event that a query finds, in seconds. */
async function ageOf(database: Pick<Database, 'query'>, selection: string): Promise<number> {
  const { rows } = await database.query<{ seconds: number }>(
    `select greatest(extract(epoch from clock_timestamp() - e.recorded_at), 0)::float8 as seconds from (${selection}) as e`,
  );
  return rows[0]?.seconds ?? 0;
}

/** Deletes rows by primary key, row by row, whatever the planner assumes about the table. */
const deleteByKey = (table: 'events' | 'relay_held'): string => `
  delete from ${table} where ctid = any(array(
    select e.place from unnest($1::text[], $2::int[]) as p (stream, version)
    cross join lateral (
      select ctid as place from ${table} where stream = p.stream and version = p.version limit 1) as e))`;

/** Lets its transaction commit without a flush: a crash of the server only repeats publications. */
const unflushed = "(select set_config('synchronous_commit', 'off', true)) as unflushed";

/** Held-back events, handled alike by both outboxes. */
const heldBack = (database: Pick<Database, 'query'>) => ({
  streamsIn(event: RecordedEvent): readonly string[] | undefined {
    const row = packRowOf(event);
    return row === undefined ? undefined : fromPackRow(row).map(({ stream }) => stream);
  },
  setApart: (event: RecordedEvent, streams: readonly string[]): Promise<void> => setApart(database, event, streams),
  async hold(events: readonly RecordedEvent[]): Promise<void> {
    await database.query({
      name: 'hold-events',
      text: `insert into relay_held (stream, version) select * from unnest($1::text[], $2::int[]) on conflict do nothing`,
      values: keys(events),
    });
  },
  async heldStreams(limit: number): Promise<string[]> {
    const { rows } = await database.query<{ stream: string }>({
      name: 'read-held-streams',
      // Skips by index to the next stream, however many events each has.
      text: `with recursive held as (
               (select stream from relay_held order by stream limit 1)
               union all
               select (select stream from relay_held where stream > held.stream order by stream limit 1)
               from held where held.stream is not null)
             select stream from held where stream is not null limit $1`,
      values: [limit],
    });
    return rows.map(({ stream }) => stream);
  },
  async readHeld(stream: string, bound: ReadBound): Promise<RecordedEvent[]> {
    const { rows } = await database.query<RecordedEvent>({
      name: 'read-held',
      text: cut(
        `select e.* from relay_held h cross join lateral (
           select * from events where stream = h.stream and version = h.version limit 1) as e where h.stream = $3`,
        'version',
      ),
      values: [bound.events, bound.bytes, stream],
    });
    return rows;
  },
});

/**
 * Kept events, with a cursor. Reads only up to the settled position, below which no transaction can append any more: an
 * event that commits later never sorts before one already read. The cursor passes held-back events.
 */
export const keptEvents = (database: Pick<Database, 'query'>): Outbox<RecordedEvent> => {
  const held = heldBack(database);
  const advance = async (events: readonly RecordedEvent[]): Promise<void> => {
    const last = events.at(-1);
    if (last === undefined) return;
    await database.query({
      name: 'advance-relay',
      // Never goes back, whatever a former leader still writes, except after a server crash: repeats are harmless and a
      // flush is not free.
      text: `update relay_cursor set position = $1 from ${unflushed} where position < $1`,
      values: [last.position],
    });
  };
  return {
    ...held,
    async read(bound) {
      // Read before the events, by a separate statement, so that their snapshot is later.
      const settled = await database.query<{ position: number }>({
        name: 'read-settled-position',
        text: 'select settled_position() as position',
      });
      const { rows } = await database.query<RecordedEvent>({
        name: 'read-unpublished',
        text: cut(
          `select u.* from relay_cursor c cross join lateral (
             select * from events where position > c.position and position <= $3 order by position limit $1) as u`,
          'position',
        ),
        values: [bound.events, bound.bytes, settled.rows[0]?.position],
      });
      return rows;
    },
    oldestSeconds: () =>
      ageOf(
        database,
        `select e.recorded_at from relay_cursor c cross join lateral (
           select recorded_at from events where position > c.position order by position limit 1) as e`,
      ),
    async hasMore() {
      const { rows } = await database.query<{ waiting: boolean }>({
        name: 'has-unpublished',
        // Ordered: one index look-up, however many events there are.
        text: `select e.position is not null as waiting
               from relay_cursor c left join lateral (
                 select position from events where position > c.position order by position limit 1) e on true`,
      });
      return rows[0]?.waiting === true;
    },
    published: advance,
    async hold(events) {
      await held.hold(events);
      await advance(events);
    },
    async released(events) {
      await database.query({ name: 'release-held', text: deleteByKey('relay_held'), values: keys(events) });
    },
  };
};

/**
 * Events that are deleted once published. Reads all that is committed, despite concurrent writers: later commits are
 * found later. A stream stays in order, since a writer appends a version after seeing the one before.
 */
export const passingEvents = (database: Pick<Database, 'query'>): Outbox<RecordedEvent> => {
  const remove = async (events: readonly RecordedEvent[]): Promise<void> => {
    if (events.length > 0)
      await database.query({
        name: 'delete-published',
        text: `${deleteByKey('events')} and (select true from ${unflushed})`,
        values: keys(events),
      });
  };
  return {
    ...heldBack(database),
    async read(bound, held) {
      const { rows } = await database.query<RecordedEvent>({
        name: 'read-passing',
        text: cut('select * from events where stream <> all($3::text[])', 'position'),
        values: [bound.events, bound.bytes, arrayOf.text(held)],
      });
      return rows;
    },
    oldestSeconds: () => ageOf(database, 'select recorded_at from events order by position limit 1'),
    hasMore: async () => false,
    published: remove,
    async readHeld(stream, bound) {
      const { rows } = await database.query<RecordedEvent>({
        name: 'read-held-passing',
        text: cut(
          `select e.* from relay_held h cross join lateral (
             select * from events where stream = h.stream and version = h.version limit 1) as e where h.stream = $3`,
          'version',
        ),
        values: [bound.events, bound.bytes, stream],
      });
      return rows;
    },
    async released(events) {
      await database.query({
        name: 'delete-released',
        text: `with published as (${deleteByKey('events')}) ${deleteByKey('relay_held')}`,
        values: keys(events),
      });
    },
  };
};
