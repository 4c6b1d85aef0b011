import type { Migration } from '@indelible/postgres';

/** Since when a stamp waits for its next batch: of those that wait now, since the migration. No row is written. */
export const waitingSince: Migration = {
  name: '0160-waiting-since',
  async up(knex) {
    await knex.raw('alter table waiting_stamps add column waiting_since timestamptz not null default now()');
  },
  async down(knex) {
    await knex.raw('alter table waiting_stamps drop column waiting_since');
  },
};
