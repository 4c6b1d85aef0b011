import { arrayOf, type Client, type Database } from '@indelible/postgres';

/** An owner's request to deliver the log's events again, after `position` and up to `untilPosition`. */
export type Redelivery = {
  readonly webhookId: string;
  readonly position: number;
  readonly untilPosition: number;
  /** Null: the webhook's own. */
  readonly types: readonly string[] | null;
  readonly since: Date;
  readonly until: Date | null;
  readonly requestedAt: Date;
};

type Queries = Pick<Database, 'query'> | Client;

/** @returns false while an earlier one is in progress */
export async function insertRedelivery(client: Client, redelivery: Redelivery): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'insert-redelivery',
    text: `insert into redeliveries (webhook_id, position, until_position, types, since, until, requested_at)
           values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    values: [
      redelivery.webhookId,
      redelivery.position,
      redelivery.untilPosition,
      redelivery.types,
      redelivery.since,
      redelivery.until,
      redelivery.requestedAt,
    ],
  });
  return rowCount === 1;
}

export async function findRedeliveries(
  client: Queries,
  webhookIds: readonly string[],
): Promise<Map<string, Redelivery>> {
  if (webhookIds.length === 0) return new Map();
  const { rows } = await client.query<Record<string, unknown>>({
    name: 'find-redeliveries',
    text: 'select * from redeliveries where webhook_id = any($1::uuid[])',
    values: [arrayOf.uuid(webhookIds)],
  });
  return new Map(
    rows.map((row) => [
      row.webhook_id as string,
      {
        webhookId: row.webhook_id as string,
        position: row.position as number,
        untilPosition: row.until_position as number,
        types: row.types as string[] | null,
        since: row.since as Date,
        until: row.until as Date | null,
        requestedAt: row.requested_at as Date,
      },
    ]),
  );
}

export type RedeliveryMove = Pick<Redelivery, 'webhookId' | 'position' | 'requestedAt'>;

/** How far they are; what is done goes. A move of one that is done already is none of the next one's. */
export async function moveRedeliveries(client: Client, moves: readonly RedeliveryMove[]): Promise<void> {
  if (moves.length === 0) return;
  const ids = arrayOf.uuid(moves.map((move) => move.webhookId));
  await client.query({
    name: 'move-redeliveries',
    // As for webhook positions.
    text: `with locked as materialized (
             select webhook_id from redeliveries where webhook_id = any($1::uuid[]) order by webhook_id for no key update)
           update redeliveries set position = case when redeliveries.requested_at = m.requested_at
             then greatest(redeliveries.position, m.position) else redeliveries.position end
           from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as m (webhook_id, position, requested_at)
           where redeliveries.webhook_id = any(array(select webhook_id from locked)) and redeliveries.webhook_id = m.webhook_id`,
    values: [
      ids,
      arrayOf.bigint(moves.map((move) => move.position)),
      arrayOf.timestamptz(moves.map((move) => move.requestedAt)),
    ],
  });
  await client.query({
    name: 'end-redeliveries',
    text: 'delete from redeliveries where webhook_id = any($1::uuid[]) and position >= until_position',
    values: [ids],
  });
}
