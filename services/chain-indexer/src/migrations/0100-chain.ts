import type { Migration } from '@indelible/postgres';

/** What is known of each chain that is followed; what was published of it lies in the event store's tables. */
export const chainTables: Migration = {
  name: '0100-chain',
  async up(knex) {
    await knex.raw(`
      -- Headers of the canonical chain, from some hundred below the last final one; and the anchor.
      create table blocks (
        chain_id bigint not null,
        number bigint not null,
        hash bytea not null check (length(hash) = 32),
        parent_hash bytea not null check (length(parent_hash) = 32),
        time bigint not null,
        logs integer not null,
        primary key (chain_id, number)
      );
      create index blocks_with_logs on blocks (chain_id, number) where logs > 0;

      create table cursor (
        chain_id bigint primary key,
        -- The first block that is read: the one before it is the anchor.
        start_number bigint not null check (start_number > 0),
        number bigint not null,
        hash bytea not null check (length(hash) = 32),
        finalized_number bigint not null,
        -- How many messages were published, and how many reorgs: with them every write is a compare-and-set.
        version integer not null,
        reorgs integer not null
      ) with (fillfactor = 50);
    `);
  },
  async down(knex) {
    await knex.raw('drop table cursor; drop table blocks;');
  },
};
