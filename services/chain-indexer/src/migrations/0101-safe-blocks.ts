import type { Migration } from '@indelible/postgres';

/** The highest block announced as safe: what is final is safe as well. */
export const safeBlocks: Migration = {
  name: '0101-safe-blocks',
  async up(knex) {
    await knex.raw(`
      alter table cursor add column safe_number bigint;
      update cursor set safe_number = finalized_number;
      alter table cursor alter column safe_number set not null;
    `);
  },
  async down(knex) {
    await knex.raw('alter table cursor drop column safe_number;');
  },
};
