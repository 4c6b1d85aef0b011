import type { Client } from '@indelible/postgres';

/**
 * Makes batches, stamps and waiting items consistent after all events are imported. A batch with confirmed stamps is in
 * their block; one whose stamps moved to a later batch is given up, as it was then; what is in no block, and in no
 * batch that may still get into one, waits (I2).
 */
export async function alignImported(client: Client): Promise<void> {
  await client.query(
    `update batches b set status = 'included', block_number = s.block_number, block_hash = s.block_hash
     from (select distinct on (batch_id) batch_id, block_number, block_hash from stamps where status = 'confirmed'
           order by batch_id) as s
     where b.id = s.batch_id and b.status = 'signed'`,
  );
  await client.query(
    `update stamps s set batch_index = item.place - 1
     from batches b cross join unnest(b.stamp_ids) with ordinality as item (stamp_id, place)
     where s.batch_id = b.id and s.id = item.stamp_id and s.batch_index is null`,
  );
  await client.query(
    `with items as not materialized (
       select b.id as batch_id, b.status, b.kind, b.signed_at, item.stamp_id
       from batches b cross join unnest(b.stamp_ids) as item (stamp_id)
       where b.status in ('signed', 'included', 'finalized'))
     update batches set status = 'superseded' where id = any(array(
       select former.batch_id from items former join stamps s on s.id = former.stamp_id
       where former.status = 'signed' and former.kind = 'commit' and s.batch_id is not null and s.batch_id <> former.batch_id
       union
       select former.batch_id from items former join items later using (stamp_id)
       where former.status = 'signed' and former.kind = 'commit' and later.signed_at > former.signed_at))`,
  );
  await setWaiting(client);
}

/**
 * Whatever is requested and in no batch under way waits. All items of a final batch are in its block: if a confirmation
 * was not published, the batch counts as in a block, whose facts confirm the stamp, and becomes final again.
 */
export async function setWaiting(client: Client): Promise<void> {
  await client.query(
    `update batches set status = 'included' where id = any(array(
       select b.id from batches b cross join unnest(b.stamp_ids) as item (stamp_id) join stamps s on s.id = item.stamp_id
       where b.status = 'finalized' and s.status = 'requested'))`,
  );
  await client.query(
    `with under_way as materialized (select unnest(stamp_ids) as id from batches where status in ('signed', 'included')),
     done as (
       delete from waiting_stamps w using stamps s
       where s.id = w.stamp_id and (s.status <> 'requested' or s.id in (select id from under_way)))
     insert into waiting_stamps (account, seq, stamp_id, reverted_batches)
     select account, seq, id, reverted_batches from stamps
     where status = 'requested' and id not in (select id from under_way) on conflict do nothing`,
  );
}
