import type { Migration } from '@indelible/postgres';

/**
 * What a lane knows of its transactions that are in no block: which version is the newest, by number; which of them carry no
 * items; when a reorg took them back; and in which block their nonce was seen used, so that a final block settles them.
 */
export const lanesMigration: Migration = {
  name: '0120-lanes',
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
      -- Null some time after a final block settled the batch.
      alter table transactions alter column raw drop not null;
      create index transactions_to_drop on transactions (stored_at) where raw is not null;

      -- The block by which the nonce of a batch in no block was seen used.
      alter table batches add column nonce_used_block bigint;
      alter table batches add column nonce_used_hash bytea;
      -- When a reorg last took it out of a block.
      alter table batches add column taken_back_at timestamptz;
      -- Its items are in other batches: nothing but an empty transaction may use its nonce again.
      alter table batches add column is_void boolean not null default false;

      create index batches_settled on batches (coalesce(block_number, nonce_used_block))
        where status in ('reverted', 'superseded');

      -- As of stamps: those that were in reverted batches come alone.
      alter table collections add column reverted_batches integer not null default 0;
      drop index collections_to_record;
      create index collections_to_record on collections (account, id)
        where created_block is null and batch_id is null and reverted_batches = 0;
      create index collections_of_reverted on collections (reverted_batches, id)
        where created_block is null and batch_id is null and reverted_batches > 0 and reverted_batches < 10;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index collections_of_reverted;
      drop index collections_to_record;
      alter table collections drop column reverted_batches;
      create index collections_to_record on collections (id) where created_block is null and batch_id is null;
      drop index batches_settled;
      alter table batches drop column nonce_used_block, drop column nonce_used_hash, drop column taken_back_at,
        drop column is_void;
      drop index transactions_to_drop;
      update transactions set raw = '' where raw is null;
      alter table transactions alter column raw set not null;
      drop index transactions_by_batch;
      create index transactions_by_batch on transactions (batch_id);
      alter table transactions drop column version, drop column is_empty;
    `);
  },
};
