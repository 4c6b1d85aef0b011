import type { Migration } from '@indelible/postgres';

/**
 * Commitments are found by what they commit to, and distinguished by transaction and log. A `recreated` row is of a
 * commitment that no stamp message had named when content was uploaded for it: storage made its id. One staged
 * content may be claimed for several commitments. `uploads`: what was decided for each upload, the earliest commitment
 * first.
 */
export const uploadsMigration: Migration = {
  name: '0101-uploads',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      alter table stamps
        add column transaction_hash bytea,
        add column block_hash bytea,
        add column recreated boolean not null default false;
      create index stamps_of_object on stamps (object_cid, account, set_cid);
      create index stamps_recreated on stamps (transaction_hash, log_index) where recreated;
      alter table staged drop constraint staged_stamp_id_key;
      alter table staged drop constraint staged_pkey;
      alter table staged add primary key (stamp_id);
      create index staged_by_id on staged (staged_id);
      create table uploads (
        request_id uuid primary key,
        outcome text not null check (outcome in ('created', 'existing')),
        staged_id uuid not null,
        stamp_ids uuid[] not null,
        receipts jsonb not null,
        reply_to text,
        decided_at timestamptz not null
      );
      create index uploads_by_time on uploads (decided_at);
      create index uploads_of_stamps on uploads using gin (stamp_ids);
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop table uploads;
      delete from staged a using staged b where a.staged_id = b.staged_id and a.stamp_id > b.stamp_id;
      drop index staged_by_id;
      alter table staged drop constraint staged_pkey;
      alter table staged add primary key (staged_id), add constraint staged_stamp_id_key unique (stamp_id);
      drop index stamps_recreated;
      drop index stamps_of_object;
      delete from stamps where recreated;
      alter table stamps drop column transaction_hash, drop column block_hash, drop column recreated;
    `);
  },
};
