import type { Migration } from '@indelible/postgres';

/** The caller's own reference to a stamp, which its events carry. Null of earlier stamps, so that no row is written. */
export const references: Migration = {
  name: '0150-references',
  async up(knex) {
    await knex.raw('alter table stamps add column client_ref text');
  },
  async down(knex) {
    await knex.raw('alter table stamps drop column client_ref');
  },
};
