import type { Migration } from '@indelible/postgres';

/**
 * What a lane knows of its transactions that are in no block: which version is the newest, by number; which of them carry no
 * items; when a reorg took them back; and in which block their nonce was seen used, so that a final block settles them.
 */
export const lanesMigration: Migration = {
  name: '0120-lanes',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      -- The first is 1; the highest is broadcast. Clocks go back, numbers do not.
      alter table transactions add column version integer not null default 1;
      update transactions t set version = n.version from (
        select hash, row_number() over (partition by batch_id order by stored_at) as version from transactions) as n
      where n.hash = t.hash and n.version > 1;
      -- Uses the nonce and carries none of the batch's items.
      alter table transactions add column is_empty boolean not null default false;
      drop index transactions_by_batch;
      create index transactions_by_batch on transactions (batch_id, version);

      -- The block by which the nonce of a batch in no block was seen used.
      alter table batches add column nonce_used_block bigint;
      alter table batches add column nonce_used_hash bytea;
      -- When a reorg last took it out of a block.
      alter table batches add column taken_back_at timestamptz;
      -- Its items are in other batches: nothing but an empty transaction may use its nonce again.
      alter table batches add column is_void boolean not null default false;

      create index batches_settled on batches (coalesce(block_number, nonce_used_block))
        where status in ('reverted', 'superseded');

      drop index collections_to_record;
      create index collections_to_record on collections (account, id) where created_block is null and batch_id is null;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index collections_to_record;
      create index collections_to_record on collections (id) where created_block is null and batch_id is null;
      drop index batches_settled;
      alter table batches drop column nonce_used_block, drop column nonce_used_hash, drop column taken_back_at,
        drop column is_void;
      drop index transactions_by_batch;
      create index transactions_by_batch on transactions (batch_id);
      alter table transactions drop column version, drop column is_empty;
    `);
  },
};
