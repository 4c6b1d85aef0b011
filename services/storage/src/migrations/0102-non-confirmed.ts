import type { Migration } from '@indelible/postgres';

/**
 * Content that was to be stamped into a collection that is registered but not created (docs/interface.md, Stored files): kept
 * once per content and set, `pending` until it is stored at its path, then `failed`, or without a path when none
 * could be made of its name.
 */
export const nonConfirmedMigration: Migration = {
  name: '0102-non-confirmed',
  async up(knex) {
    await knex.raw(`
      create table non_confirmed (
        request_id uuid primary key,
        status text not null check (status in ('pending', 'failed')),
        account bytea not null,
        set_cid bytea not null,
        object_cid bytea not null,
        collection_name text not null,
        requested_at timestamptz not null,
        size bigint not null,
        crc32c bigint not null,
        staged_id uuid not null,
        given_name text not null,
        file_name text,
        file_path text,
        attempt smallint,
        unique (object_cid, account, set_cid),
        check (status = 'failed' or (file_name is not null and file_path is not null and attempt is not null))
      );
    `);
  },
  async down(knex) {
    await knex.raw('drop table non_confirmed');
  },
};
