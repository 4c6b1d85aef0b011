import { newId } from '@indelible/identifiers';
import type { DataOf, MessageContract } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';

/** An event to record. `version` is its place in the stream: a taken one means another decision was faster. */
export type NewEvent = {
  readonly stream: string;
  readonly version: number;
  readonly contract: MessageContract;
  readonly data: object;
  /** The message's id, for events whose identity follows from the fact itself; a random one otherwise. */
  readonly id?: string;
  readonly requestId?: string;
  readonly traceparent?: string;
};

/** Builds an event whose data is checked against its contract's type. */
export const newEvent = <Contract extends MessageContract>(
  contract: Contract,
  data: DataOf<Contract>,
  place: Pick<NewEvent, 'stream' | 'version' | 'id' | 'requestId' | 'traceparent'>,
): NewEvent => ({ ...place, contract, data: data as object });

const sql = `
  with recorded as (
    insert into events (stream, version, type, type_version, message_id, data, request_id, traceparent)
    select * from unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::uuid[], $6::json[], $7::uuid[], $8::text[]))
  select pg_notify($9, '')`;

/**
 * Records events in their order, inside the caller's transaction and with its effects; the relay hears of it at commit.
 * @throws a unique violation when a stream's version is taken: decide anew (decideInTransaction does)
 */
export async function appendEvents(client: Client, schema: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await client.query({
    name: 'append-events',
    text: sql,
    values: [
      arrayOf.text(events.map((event) => event.stream)),
      arrayOf.int(events.map((event) => event.version)),
      arrayOf.text(events.map((event) => event.contract.type)),
      arrayOf.int(events.map((event) => event.contract.version)),
      arrayOf.uuid(events.map((event) => event.id ?? newId())),
      arrayOf.json(events.map((event) => JSON.stringify(event.data))),
      arrayOf.uuid(events.map((event) => event.requestId ?? null)),
      arrayOf.text(events.map((event) => event.traceparent ?? null)),
      relayChannel(schema),
    ],
  });
}

/** The channel on which a schema's relay is woken. */
export const relayChannel = (schema: string): string => `${schema}_events`;
