import type { Migration } from '@indelible/postgres';

/** The newest run that publishes blocks again, from `from_number` to the cursor. */
export const republish: Migration = {
  name: '0110-republish',
  async up(knex) {
    await knex.raw(`
      create table republish (
        chain_id bigint primary key,
        -- Counts the runs: part of the ids of their messages.
        run bigint not null,
        from_number bigint not null,
        -- The first block that the run has not published yet.
        next_number bigint not null,
        active boolean not null
      );
    `);
  },
  async down(knex) {
    await knex.raw('drop table republish;');
  },
};
