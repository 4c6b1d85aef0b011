import type { Migration } from '@indelible/postgres';

/**
 * What waits for a batch is a narrow table of its own, and a batch names its stamps: a stamp's row, with all its index
 * entries, is written when it is asked for and when it is in a block, and not in between (docs/hot-path.md, What waits).
 * A stamp that is `requested` and does not wait is in a batch that no block has.
 */
export const waitingStamps: Migration = {
  name: '0102-waiting-stamps',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      create table waiting_stamps (
        account bytea not null,
        seq bigint not null,
        stamp_id uuid not null,
        -- As in stamps.
        reverted_batches integer not null default 0,
        primary key (account, seq)
      );
      create index waiting_stamps_of_reverted on waiting_stamps (reverted_batches desc, seq) where reverted_batches > 0;
      insert into waiting_stamps (account, seq, stamp_id, reverted_batches)
        select account, seq, id, reverted_batches from stamps where status = 'requested';
      drop index stamps_waiting;
      drop index stamps_of_reverted;

      -- Of kind commit: the stamps in the order of the transaction's objects.
      alter table batches add column stamp_ids uuid[] not null default '{}';
      update batches b set stamp_ids = array(select s.id from stamps s where s.batch_id = b.id order by s.batch_index);
      drop index stamps_by_batch;

      drop index stamps_one_in_flight;
      update stamps set status = 'requested', batch_id = null, batch_index = null where status = 'submitted';
      alter table stamps drop constraint stamps_status_check;
      alter table stamps add constraint stamps_status_check
        check (status in ('requested', 'included', 'confirmed', 'failed'));
      create unique index stamps_one_in_flight on stamps (account, set_cid, object_cid)
        where exclusive and status in ('requested', 'included');
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index stamps_one_in_flight;
      alter table stamps drop constraint stamps_status_check;
      alter table stamps add constraint stamps_status_check
        check (status in ('requested', 'submitted', 'included', 'confirmed', 'failed'));
      update stamps s set status = 'submitted', batch_id = b.id, batch_index = item.place - 1
        from batches b cross join unnest(b.stamp_ids) with ordinality as item (stamp_id, place)
        where b.status = 'signed' and s.id = item.stamp_id and s.status = 'requested';
      create unique index stamps_one_in_flight on stamps (account, set_cid, object_cid)
        where exclusive and status in ('requested', 'submitted', 'included');
      create index stamps_by_batch on stamps (batch_id, batch_index);
      alter table batches drop column stamp_ids;
      create index stamps_waiting on stamps (account, seq) where status = 'requested' and reverted_batches = 0;
      create index stamps_of_reverted on stamps (reverted_batches desc, seq)
        where status = 'requested' and reverted_batches > 0;
      drop table waiting_stamps;
    `);
  },
};
