import type { Migration } from '@indelible/postgres';

/** How often a stamp was put back to wait for another batch: its submissions are numbered, so that their events have an order. */
export const resubmissions: Migration = {
  name: '0151-resubmissions',
  async up(knex) {
    // The constant is kept beside the table: no row is written.
    await knex.raw('alter table stamps add column resubmissions integer not null default 0');
  },
  async down(knex) {
    await knex.raw('alter table stamps drop column resubmissions');
  },
};
