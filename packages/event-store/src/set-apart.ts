import { fromPackRow, type StoredPack, toPackRow } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * Gives events of these streams rows of their own, and notes them as held back, so that each waits alone; the others
 * stay in their row, which is deleted when none is left. One statement, so that an event is always in exactly one row.
 * It does nothing unless the row is unchanged: a former leader may have read it before another split it. The cursor is
 * already past the new rows, so that they are published only as held-back events.
 */
export async function setApart(
  database: Pick<Database, 'query'>,
  row: RecordedEvent,
  streams: readonly string[],
): Promise<void> {
  if (row.record === null) return;
  const pack = row.data as StoredPack;
  const apart = new Set(streams);
  const events = fromPackRow({ data: pack, record: row.record });
  const taken = events.filter(({ stream }) => apart.has(stream));
  const left = events.filter(({ stream }) => !apart.has(stream));
  const rest = left.length === 0 ? undefined : toPackRow(left, pack);
  await database.query({
    text: `
      with unchanged as materialized (
        select from events where stream = $10 and version = $11 and record = $14 for update),
      taken as materialized (
        select t.* from unchanged cross join
          unnest($1::text[], $2::int[], $3::uuid[], $4::json[], $5::uuid[], $6::text[], $7::timestamptz[])
            as t (stream, version, message_id, data, request_id, traceparent, recorded_at)),
      own as (
        insert into events (position, stream, version, type, type_version, message_id, data, request_id, traceparent, recorded_at)
        overriding system value
        select c.position, stream, version, $8, $9, message_id, data, request_id, traceparent, recorded_at from taken, relay_cursor c),
      held as (
        insert into relay_held (stream, version) select stream, version from taken on conflict do nothing)
      ${rest === undefined ? 'delete from events' : 'update events set data = $12, record = $13'}
      where stream = $10 and version = $11 and exists (select from unchanged)
        and ($12::json is null) = ($13::bytea is null)`,
    values: [
      arrayOf.text(taken.map(({ stream }) => stream)),
      arrayOf.int(taken.map(({ version }) => version)),
      arrayOf.uuid(taken.map(({ id }) => id)),
      arrayOf.json(taken.map(({ data }) => JSON.stringify(data))),
      arrayOf.uuid(taken.map(({ requestId }) => requestId ?? null)),
      arrayOf.text(taken.map(({ traceparent }) => traceparent ?? null)),
      arrayOf.timestamptz(taken.map(({ time }) => time)),
      ...[row.type, row.typeVersion, row.stream, row.version],
      ...(rest === undefined ? [null, null] : [JSON.stringify(rest.data), rest.record]),
      row.record,
    ],
  });
}
