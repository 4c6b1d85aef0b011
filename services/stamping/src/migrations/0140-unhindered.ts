import { buildIndex, type Migration } from '@indelible/postgres';

/** Whether a transaction left deep blocks to confirm; and where what a batch has is found when it is settled. */
export const unhindered: Migration = {
  name: '0140-unhindered',
  config: { transaction: false },
  async up(knex) {
    // The facts up to the cursor set off more than was done: it is done with the next fact of any kind.
    await knex.raw('alter table chain_cursor add column if not exists unfinished boolean not null default true');
    await buildIndex(knex, 'collections_by_batch', 'collections', '(batch_id) where batch_id is not null');
    await buildIndex(knex, 'accounts_by_batch', 'accounts', '(grant_batch_id) where grant_batch_id is not null');
  },
  async down(knex) {
    await knex.raw(`
      drop index accounts_by_batch;
      drop index collections_by_batch;
      alter table chain_cursor drop column unfinished;
    `);
  },
};
