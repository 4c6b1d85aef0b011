import type { Client } from '@indelible/postgres';

/**
 * Makes batches, stamps and what waits agree once all events are imported: a batch with confirmed stamps is in their block; one whose
 * stamps went on with a later batch is given up, as it was then; and what is in no batch that may still come into a block waits (I2).
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
    `update batches former set status = 'superseded' where status = 'signed' and kind = 'commit' and (
       exists (select from unnest(former.stamp_ids) as i (id) join stamps s on s.id = i.id
               where s.batch_id is not null and s.batch_id <> former.id)
       or exists (select from batches later where later.status = 'signed' and later.id <> former.id
                  and later.signed_at > former.signed_at and later.stamp_ids && former.stamp_ids))`,
  );
  await setWaiting(client);
}

/** What waits is what is requested and in no batch that is under way: of one in a block, not all confirmations may have been published. */
export async function setWaiting(client: Client): Promise<void> {
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
