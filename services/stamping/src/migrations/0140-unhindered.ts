import type { Migration } from '@indelible/postgres';

/** Whether a transaction left deep blocks to confirm; and where what a batch has is found when it is settled. */
export const unhindered: Migration = {
  name: '0140-unhindered',
  async up(knex) {
    await knex.raw(`
      -- The facts up to the cursor set off more than was done: it is done with the next fact of any kind.
      alter table chain_cursor add column unfinished boolean not null default true;
      create index collections_by_batch on collections (batch_id) where batch_id is not null;
      create index accounts_by_batch on accounts (grant_batch_id) where grant_batch_id is not null;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index accounts_by_batch;
      drop index collections_by_batch;
      alter table chain_cursor drop column unfinished;
    `);
  },
};
