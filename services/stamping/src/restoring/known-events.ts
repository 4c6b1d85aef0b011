import { appendEvents } from '@indelible/event-store';
import type { IncomingMessage } from '@indelible/kafka';
import { packStream } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { schema } from '../schema.ts';

/** A message of one of this service's own topics, with its event store stream. */
export type OfStream = { readonly message: IncomingMessage; readonly stream: string };

/**
 * The messages that the event store lacks, in order, each once. Compared by id, so an import may be repeated and may
 * start with messages from long before the backup. One published with others in a record is known by its row, which has
 * the record's id, unless the relay gave it its own row. One published alone, after the backup, is unknown here; its
 * stamp is not.
 */
export async function unknownEvents(client: Client, messages: readonly OfStream[]): Promise<readonly OfStream[]> {
  if (messages.length === 0) return [];
  const packs = messages.flatMap(({ message: { packId } }) => (packId === undefined ? [] : [packStream(packId)]));
  const { rows } = await client.query<{ id: string; is_pack: boolean }>(
    'select message_id as id, record is not null as is_pack from events where stream = any($1::text[])',
    [arrayOf.text([...new Set([...messages.map(({ stream }) => stream), ...packs])])],
  );
  const known = new Set(rows.flatMap(({ id, is_pack: isPack }) => (isPack ? [] : [id])));
  const knownPacks = new Set(rows.flatMap(({ id, is_pack: isPack }) => (isPack ? [id] : [])));
  return messages.filter(({ message: { id, packId } }) => {
    const isNew = !known.has(id) && (packId === undefined || !knownPacks.has(packId));
    known.add(id);
    return isNew;
  });
}

/**
 * Records a message as its original event, in a row of its own: under its own id, so that consumers drop it when it is
 * published again (I5).
 */
export const appendImported = (client: Client, { message, stream }: OfStream, version: number): Promise<void> =>
  appendEvents(client, schema, [
    {
      ...{ stream, version, contract: message.contract, data: message.data as object, id: message.id, alone: true },
      ...(message.requestId === undefined ? {} : { requestId: message.requestId }),
      ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
    },
  ]);

/** The version of a stream's next event. */
export async function nextVersion(client: Client, stream: string): Promise<number> {
  const { rows } = await client.query<{ next: number }>(
    'select coalesce(max(version), 0) + 1 as next from events where stream = $1',
    [stream],
  );
  return rows[0]?.next ?? 1;
}
