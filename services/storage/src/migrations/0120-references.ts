import type { Migration } from '@indelible/postgres';

/**
 * What the events of a file carry of its stamp: the HTTP request that made it, and the caller's own reference; and which way its content
 * `came`: `with-stamp` or `later`. Null of earlier rows, so that none is written.
 */
export const referencesMigration: Migration = {
  name: '0120-references',
  async up(knex) {
    await knex.raw(`
      alter table stamps add column request_id uuid, add column client_ref text;
      alter table files add column came text;
    `);
  },
  async down(knex) {
    await knex.raw(`
      alter table files drop column came;
      alter table stamps drop column request_id, drop column client_ref;
    `);
  },
};
