import { arrayOf, type Client } from '@indelible/postgres';
import { firstIdWithoutTime } from './inbox-day.ts';

/**
 * Notes messages as handled by `consumer`, inside the transaction of their effects, and returns the ids that were not
 * handled before: only these may take effect (I5). Repeated ids within `messageIds` count once.
 *
 * Existing ids are looked up, the rest plainly inserted: `on conflict` inserts speculatively, for twice the CPU (13 µs
 * a row, now 7.5), and each stamp is four rows.
 * @throws a conflict (`isConflict`) when another transaction notes one of them meanwhile: retry
 */
export async function claimMessages(
  client: Client,
  consumer: string,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const unseen = new Set(messageIds);
  const ids = [...unseen].sort();
  const times = ids.filter((id) => id < firstIdWithoutTime);
  // Separate, so that each call's ids are in few partitions: nearly all in the day's.
  for (const part of [times, ids.slice(times.length)]) {
    if (part.length === 0) continue;
    for (const had of await claimPart(client, consumer, part)) unseen.delete(had);
  }
  return unseen;
}

/** The messages that `consumer` has handled, for effects that take several transactions. */
export async function findHandled(
  client: Client,
  consumer: string,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const ids = messageIds.toSorted();
  if (ids.length === 0) return new Set();
  const { rows } = await client.query<{ message_id: string }>({
    name: 'find-handled',
    text: `select message_id from inbox
           where consumer = $1 and message_id = any($2::uuid[]) and message_id between $3::uuid and $4::uuid`,
    values: [consumer, arrayOf.uuid(ids), ids[0], ids.at(-1)],
  });
  return new Set(rows.map((row) => row.message_id));
}

async function claimPart(client: Client, consumer: string, ids: readonly string[]): Promise<readonly string[]> {
  try {
    const { rows } = await client.query<{ had: string }>({
      name: 'claim-messages',
      text: 'select claim_messages($1, $2::uuid[], $3::uuid, $4::uuid) as had',
      values: [consumer, arrayOf.uuid(ids), ids[0], ids.at(-1)],
    });
    return rows.map(({ had }) => had);
  } catch (error) {
    // The row was for `inbox_default` when its day got a partition: a race, not a fault of the message.
    if (error instanceof Error && 'code' in error && error.code === checkViolation)
      throw Object.assign(new Error('the inbox got a new part meanwhile', { cause: error }), {
        code: serializationFailure,
      });
    throw error;
  }
}

/** SQLSTATEs. */
const checkViolation = '23514';
const serializationFailure = '40001';
