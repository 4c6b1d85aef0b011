import type { Migration } from '@indelible/postgres';

/** Which rows of `stamps` and `stamp_aliases` are forgotten, and when: those of requests that made no stamp, by their age. */
export const requestsWithoutStamp: Migration = {
  name: '0140-requests-without-stamp',
  async up(knex) {
    await knex.raw(`
      create table requests_without_stamp (
        decided_at timestamptz not null,
        request_id uuid not null,
        primary key (decided_at, request_id)
      );
    `);
  },
  async down(knex) {
    await knex.raw('drop table requests_without_stamp;');
  },
};
