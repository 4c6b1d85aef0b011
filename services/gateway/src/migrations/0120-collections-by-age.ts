import { buildIndex, type Migration } from '@indelible/postgres';

/** An account's collections are listed newest first, a page at a time. */
export const collectionsByAge: Migration = {
  name: '0120-collections-by-age',
  config: { transaction: false },
  async up(knex) {
    await buildIndex(knex, 'collections_by_age', 'collections', '(account, registered_at desc, id desc)');
  },
  async down(knex) {
    await knex.raw('drop index collections_by_age');
  },
};
