import type { Migration } from '@indelible/postgres';

/** What is remembered of stamps that were submitted twice, reverted, or confirmed before their submission came. */
export const stampOrderMigration: Migration = {
  name: '0105-stamp-order',
  async up(knex) {
    await knex.raw(`
      create table stamp_order (
        stamp_id uuid primary key,
        -- The newest submission that was reported; 0 while none is above the first.
        attempt integer not null,
        reversions integer not null,
        confirmed boolean not null,
        -- Submissions that wait for a reversion.
        held json,
        noted_at timestamptz not null default now()
      );
      create index stamp_order_by_age on stamp_order (noted_at);
      create index stamp_order_held on stamp_order (noted_at) where held is not null;
    `);
  },
  async down(knex) {
    await knex.raw('drop table stamp_order');
  },
};
