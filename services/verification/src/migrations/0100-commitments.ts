import type { Migration } from '@indelible/postgres';

const partitions = 16;

/**
 * The primary key answers look-ups by CID, with an owner or without. Blocks arrive in order, so a BRIN index finds the
 * rows above a reorg's ancestor at next to no cost for each insert.
 */
export const commitmentsMigration: Migration = {
  name: '0100-commitments',
  async up(knex) {
    await knex.raw(`
      create table commitments (
        object_cid bytea not null,
        user_address bytea not null,
        chain_id bigint not null,
        block_number bigint not null,
        log_index integer not null,
        set_cid bytea not null,
        block_time bigint not null,
        transaction_hash bytea not null,
        block_hash bytea not null,
        primary key (object_cid, user_address, chain_id, block_number, log_index)
      ) partition by hash (object_cid)
    `);
    for (let remainder = 0; remainder < partitions; remainder++)
      await knex.raw(
        `create table commitments_${remainder} partition of commitments
         for values with (modulus ${partitions}, remainder ${remainder})`,
      );
    await knex.raw(`
      create index commitments_of_set on commitments (set_cid, user_address, block_time);
      create index commitments_by_block on commitments using brin (block_number)
        with (pages_per_range = 16, autosummarize = on);
      create table cursors (
        chain_id bigint primary key,
        number bigint not null,
        hash bytea not null,
        open_number bigint,
        open_hash bytea,
        open_part integer,
        finalized bigint,
        check (num_nulls(open_number, open_hash, open_part) in (0, 3))
      );
    `);
  },
  async down(knex) {
    await knex.raw('drop table cursors; drop table commitments;');
  },
};
