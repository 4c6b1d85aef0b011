import type { IncomingMessage } from '@indelible/kafka';
import { arrayOf, type Client } from '@indelible/postgres';
import pg from 'pg';
import type { Projection, Schemas } from './projection.ts';
import { tableIn } from './shadow-schema.ts';

/**
 * The greatest age of a message that may be redelivered to the live projection; a little longer than inboxes remember.
 */
const rememberedDays = 31;

/**
 * Notes messages in the shadow's ledger, in the transaction of their effects, and returns those that were not yet in
 * it.
 */
export async function noteInLedger(client: Client, messages: readonly IncomingMessage[]): Promise<IncomingMessage[]> {
  const { rows } = await client.query<{ message_id: string }>({
    name: 'note-in-ledger',
    text: `insert into ledger (message_id, message_time)
           select distinct on (id) id, time from unnest($1::uuid[], $2::timestamptz[]) as t(id, time) order by id
           on conflict do nothing returning message_id`,
    values: [arrayOf.uuid(messages.map(({ id }) => id)), arrayOf.timestamptz(messages.map(({ time }) => time))],
  });
  const fresh = new Set(rows.map((row) => row.message_id));
  return messages.filter(({ id }) => fresh.delete(id));
}

/**
 * Finds in advance, without blocking, which messages of the ledger the live projection has not had. {@link noteInInbox}
 * adds later ones, so that little is left to do then. Called again, it starts over.
 * @returns the oldest transaction that it may not have seen
 */
export async function lookAhead(client: Client, projection: Projection, { live, shadow }: Schemas): Promise<string> {
  await client.query(`drop table if exists ${tableIn(shadow, 'ahead')}`);
  // Not a sequence number: a slower transaction could commit a lower one later.
  const { rows } = await client.query<{ unseen: string }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as unseen',
  );
  await client.query(
    `create table ${tableIn(shadow, 'ahead')} as
     select l.message_id from ${tableIn(shadow, 'ledger')} l
     where l.message_time > now() - interval '${rememberedDays} days' and not exists (
       select from ${tableIn(live, 'inbox')} i
       where i.consumer = ${pg.escapeLiteral(projection.consumer)} and i.message_id = l.message_id)`,
  );
  return rows[0]?.unseen ?? '0';
}

/**
 * Notes in the live inbox what the shadow has handled, so that the live projection, whose offsets may be behind, drops
 * repeats (I5). A message missing from the ledger is not in the inbox either, since the shadow is never behind.
 */
export async function noteInInbox(
  client: Client,
  projection: Projection,
  { live, shadow }: Schemas,
  unseenFrom: string,
): Promise<void> {
  await client.query(
    `insert into ${tableIn(live, 'inbox')} (consumer, message_id)
     select $1, message_id from (
       select message_id from ${tableIn(shadow, 'ahead')}
       union
       select message_id from ${tableIn(shadow, 'ledger')} where written >= $2::xid8
     ) as had on conflict do nothing`,
    [projection.consumer, unseenFrom],
  );
}
