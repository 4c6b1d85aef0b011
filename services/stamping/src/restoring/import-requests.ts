import { claimMessages } from '@indelible/event-store';
import { type Hex, hexOfBytes, zeroCid } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  PlainRequestJoined,
  PlainRequestRefused,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
} from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { consumer } from '../requests/handle-stamp-requests.ts';
import { insertStamps, type NewStamp } from '../requests/stamp-queries.ts';
import { stampStream } from '../stamp-stream.ts';
import { appendImported, type OfStream, unknownEvents } from './known-events.ts';

const withoutStamp = [StampRequestJoined, StampRequestRefused, PlainRequestJoined, PlainRequestRefused];

/** The events of decisions. */
export const decisionEvents = [StampRequested, ...withoutStamp];

/**
 * Imports published decisions that the database lacks: a stamp waits again, and no decided request is decided again,
 * since the inbox has it (I2, I5). The command's id is the request's.
 * @returns how many events
 */
export async function importDecisions(client: Client, messages: readonly IncomingMessage[]): Promise<number> {
  const unknown = await withoutRecordedStamps(client, await unknownEvents(client, messages.flatMap(ofStream)));
  const requested = unknown.flatMap(({ message }) => (isMessage(message, StampRequested) ? [message] : []));
  await insertStamps(client, await stampsOf(client, requested));
  for (const one of unknown) await appendImported(client, one, 1);
  await claimMessages(
    client,
    consumer,
    unknown.map(({ message }) => requestIdOf(message)),
  );
  return unknown.length;
}

/**
 * A stamp is inserted with its first event: if it exists, so does the event, even if its row is shared and its message
 * was published alone.
 */
async function withoutRecordedStamps(client: Client, events: readonly OfStream[]): Promise<readonly OfStream[]> {
  const stampIds = events.flatMap(({ message }) => (isMessage(message, StampRequested) ? [message.data.stampId] : []));
  if (stampIds.length === 0) return events;
  const { rows } = await client.query<{ id: string }>('select id from stamps where id = any($1::uuid[])', [
    arrayOf.uuid(stampIds),
  ]);
  const recorded = new Set(rows.map(({ id }) => id));
  return events.filter(({ message }) => !(isMessage(message, StampRequested) && recorded.has(message.data.stampId)));
}

function ofStream(message: IncomingMessage): OfStream[] {
  if (isMessage(message, StampRequested)) return [{ message, stream: stampStream(message.data.stampId) }];
  if (!withoutStamp.some((contract) => isMessage(message, contract))) return [];
  return [{ message, stream: `request-${requestIdOf(message)}` }];
}

/** A new stamp has the id of the request that made it. */
const requestIdOf = (message: IncomingMessage): string =>
  isMessage(message, StampRequested) ? message.data.stampId : (message.data as PlainRequestJoined).requestId;

async function stampsOf(
  client: Client,
  messages: readonly IncomingMessage<typeof StampRequested>[],
): Promise<readonly NewStamp[]> {
  const sets = messages.filter(({ data }) => data.setCid !== zeroCid);
  const { rows } = await client.query<{ id: number; account: Buffer; cid: Buffer }>(
    `select distinct c.id, c.account, c.cid from unnest($1::bytea[], $2::bytea[]) as w (account, cid)
     join collections c on c.account = w.account and c.cid = w.cid`,
    [arrayOf.bytea(sets.map(({ data }) => data.account)), arrayOf.bytea(sets.map(({ data }) => data.setCid))],
  );
  const keyOf = (account: Hex, cid: Hex): string => account + cid;
  const ids = new Map(rows.map(({ id, account, cid }) => [keyOf(hexOfBytes(account), hexOfBytes(cid)), id]));
  return messages.map(({ data, requestId, traceparent }) => ({
    id: data.stampId,
    account: data.account,
    setCid: data.setCid,
    objectCid: data.objectCid,
    collectionId: ids.get(keyOf(data.account, data.setCid)) ?? null,
    // An identity may have several on purpose. New requests see what is in flight anyway.
    exclusive: false,
    content: data.content,
    // Nobody waits for a reply now.
    replyTo: null,
    requestId: requestId ?? null,
    traceparent: traceparent ?? null,
    clientRef: null,
    requestedAt: data.requestedAt,
  }));
}
