import type { Migration } from '@indelible/postgres';

/** A stamp that came with content to store is confirmed with its file, or with the reason why it has none. */
export const awaitedFiles: Migration = {
  name: '0131-awaited-files',
  async up(knex) {
    await knex.raw('alter table stamps add column awaits_file boolean, add column file_fault text');
  },
  async down(knex) {
    await knex.raw('alter table stamps drop column awaits_file, drop column file_fault');
  },
};
