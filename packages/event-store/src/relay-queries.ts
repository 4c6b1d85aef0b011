import type { Database } from '@indelible/postgres';

export type RecordedEvent = {
  readonly transactionId: string;
  readonly position: number;
  readonly type: string;
  readonly typeVersion: number;
  readonly messageId: string;
  readonly data: object;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly recordedAt: Date;
};

/**
 * The next events after the cursor. Only those of transactions older than every running one: an event that commits
 * later can then never sort before one that was read.
 */
export async function readUnpublished(database: Pick<Database, 'query'>, limit: number): Promise<RecordedEvent[]> {
  const { rows } = await database.query<RecordedEvent>({
    name: 'read-unpublished',
    text: `select e.transaction_id::text as "transactionId", e.position, e.type, e.type_version as "typeVersion",
             e.message_id as "messageId", e.data, e.request_id as "requestId", e.traceparent, e.recorded_at as "recordedAt"
           from relay_cursor c cross join lateral (
             select * from events
             where (transaction_id, position) > (c.transaction_id, c.position)
               and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
             order by transaction_id, position limit $1) e
           order by e.transaction_id, e.position`,
    values: [limit],
  });
  return rows;
}

/** Whether anything committed waits beyond the cursor, readable yet or not. */
export async function hasUnpublished(database: Pick<Database, 'query'>): Promise<boolean> {
  const { rows } = await database.query<{ waiting: boolean }>({
    name: 'has-unpublished',
    // Ordered, so that it is one look into the index, however many events there are.
    text: `select e.position is not null as waiting
           from relay_cursor c left join lateral (
             select position from events
             where (transaction_id, position) > (c.transaction_id, c.position)
             order by transaction_id, position limit 1) e on true`,
  });
  return rows[0]?.waiting === true;
}

/** Notes everything up to `last` as published. The cursor never goes back, whatever a former leader still writes. */
export async function advanceRelay(
  database: Pick<Database, 'transaction'>,
  last: Pick<RecordedEvent, 'transactionId' | 'position'>,
  prune: boolean,
): Promise<void> {
  const place = [last.transactionId, last.position];
  await database.transaction(async (client) => {
    await client.query({
      name: 'advance-relay',
      text: `update relay_cursor set transaction_id = $1::xid8, position = $2
             where (transaction_id, position) < ($1::xid8, $2::bigint)`,
      values: place,
    });
    if (prune)
      await client.query({
        name: 'prune-published',
        text: 'delete from events where (transaction_id, position) <= ($1::xid8, $2::bigint)',
        values: place,
      });
  });
}
