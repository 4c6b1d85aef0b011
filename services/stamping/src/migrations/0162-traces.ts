import type { Migration } from '@indelible/postgres';

/** W3C trace contexts: of the decision on a stamp, and of a batch with a stamp that is sampled. Null of most, so that no row is written. */
export const traces: Migration = {
  name: '0162-traces',
  async up(knex) {
    await knex.raw('alter table stamps add column traceparent text; alter table batches add column traceparent text;');
  },
  async down(knex) {
    await knex.raw('alter table stamps drop column traceparent; alter table batches drop column traceparent;');
  },
};
