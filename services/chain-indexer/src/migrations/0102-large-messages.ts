import type { Migration } from '@indelible/postgres';

/**
 * A large block's messages are of hundreds of kilobytes and gone within a second: to compress them takes more time than
 * to write them, and is most of what catching up costs.
 */
export const largeMessages: Migration = {
  name: '0102-large-messages',
  async up(knex) {
    await knex.raw('alter table events alter column data set storage external;');
  },
  async down(knex) {
    await knex.raw('alter table events alter column data set storage extended;');
  },
};
