import { buildIndex, type Migration } from '@indelible/postgres';

/**
 * `own`: whether claimed content came with its stamp: then its stamp's messages say when it is due. Others wait for a stamp that has no content
 * of its own, whose messages are skipped: stamping is queried for these. Null of rows of former releases.
 */
export const ownContentMigration: Migration = {
  name: '0121-own-content',
  config: { transaction: false },
  async up(knex) {
    await knex.raw('alter table staged add column if not exists own boolean');
    await buildIndex(knex, 'staged_of_others', 'staged', '(stamp_id) where own is not true');
  },
  async down(knex) {
    await knex.raw('drop index staged_of_others; alter table staged drop column own;');
  },
};
