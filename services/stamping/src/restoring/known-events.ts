import { appendEvents } from '@indelible/event-store';
import type { IncomingMessage } from '@indelible/kafka';
import { arrayOf, type Client } from '@indelible/postgres';
import { schema } from '../schema.ts';

/** A message of one of this service's own topics, and the stream of the event store that it belongs to. */
export type OfStream = { readonly message: IncomingMessage; readonly stream: string };

/**
 * Those of the messages that the event store has not, in their order, each once. By their ids, so an import may be repeated, and may begin
 * with messages of long before the backup.
 */
export async function unknownEvents(client: Client, messages: readonly OfStream[]): Promise<readonly OfStream[]> {
  if (messages.length === 0) return [];
  const { rows } = await client.query<{ id: string }>(
    'select message_id as id from events where stream = any($1::text[])',
    [arrayOf.text([...new Set(messages.map(({ stream }) => stream))])],
  );
  const known = new Set(rows.map(({ id }) => id));
  return messages.filter(({ message: { id } }) => {
    const isNew = !known.has(id);
    known.add(id);
    return isNew;
  });
}

/** Records a message as the event that it was published from: under its own id, so that consumers drop it when it is published again (I5). */
export const appendImported = (client: Client, { message, stream }: OfStream, version: number): Promise<void> =>
  appendEvents(client, schema, [
    {
      ...{ stream, version, contract: message.contract, data: message.data as object, id: message.id },
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
