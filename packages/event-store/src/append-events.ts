import { arrayOf, type Client } from '@indelible/postgres';
import type { NewEvent } from './new-event.ts';
import { toRows } from './to-rows.ts';

const sql = `
  with recorded as (
    insert into events (stream, version, type, type_version, message_id, data, request_id, traceparent, record)
    select * from unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::uuid[], $6::json[], $7::uuid[], $8::text[], $10::bytea[]))
  select pg_notify($9, '')`;

/**
 * Records events in order, inside the caller's transaction and with its effects; the relay is notified at commit.
 * Events of pooled contracts share rows: only other rows that the caller writes detect that a version of their streams
 * is taken.
 * @throws a unique violation when a stream's version is taken: decide again (decideInTransaction does)
 */
export async function appendEvents(client: Client, schema: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = toRows(events, new Date().toISOString());
  await client.query({
    name: 'append-events',
    text: sql,
    values: [
      arrayOf.text(rows.map(({ stream }) => stream)),
      arrayOf.int(rows.map(({ version }) => version)),
      arrayOf.text(rows.map(({ contract }) => contract.type)),
      arrayOf.int(rows.map(({ contract }) => contract.version)),
      arrayOf.uuid(rows.map(({ messageId }) => messageId)),
      arrayOf.json(rows.map(({ data }) => JSON.stringify(data))),
      arrayOf.uuid(rows.map(({ requestId }) => requestId)),
      arrayOf.text(rows.map(({ traceparent }) => traceparent)),
      relayChannel(schema),
      // A null array: all nulls.
      rows.some(({ record }) => record !== null) ? arrayOf.bytes(rows.map(({ record }) => record)) : null,
    ],
  });
}

/** The channel on which a schema's relay is woken. */
export const relayChannel = (schema: string): string => `${schema}_events`;
