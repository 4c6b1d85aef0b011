import type { Migration } from '@indelible/postgres';

/** Where a collection's AddSet is: the hash of its block, and its log in it. Null of blocks that were read before, so that no row is written. */
export const placesOfSets: Migration = {
  name: '0170-places-of-sets',
  async up(knex) {
    await knex.raw(
      'alter table collections add column created_block_hash bytea, add column created_log_index integer;',
    );
  },
  async down(knex) {
    await knex.raw('alter table collections drop column created_block_hash, drop column created_log_index;');
  },
};
