import type { Migration } from '@indelible/postgres';

/**
 * `stamps`: what a stored path is made of, of every confirmed stamp. `staged`: content claimed for a stamp and not yet
 * stored, one per stamp; staged content without a row is unclaimed. `paths`: which content a path is given to, for
 * ever; null when something unknown is stored there. `files`: each stamp's file; two stamps of one content may share a path.
 */
export const filesMigration: Migration = {
  name: '0100-files',
  async up(knex) {
    await knex.raw(`
      create table stamps (
        stamp_id uuid primary key,
        on_chain boolean not null,
        account bytea not null,
        set_cid bytea not null,
        object_cid bytea not null,
        collection_name text,
        chain_id bigint not null,
        block_number bigint not null,
        log_index integer not null,
        block_time bigint not null
      );
      create table staged (
        staged_id uuid primary key,
        stamp_id uuid not null unique,
        size bigint not null,
        crc32c bigint not null,
        file_name text not null
      );
      create table paths (
        file_path text primary key,
        object_cid bytea
      );
      create table files (
        stamp_id uuid primary key,
        status text not null check (status in ('pending', 'success', 'failed')),
        staged_id uuid,
        size bigint,
        crc32c bigint,
        file_name text,
        file_path text,
        attempt smallint,
        reply_to text,
        traceparent text,
        stored_at timestamptz,
        check (status = 'failed' or (file_path is not null and file_name is not null)),
        check ((status = 'success') = (stored_at is not null)),
        check (status <> 'pending' or (staged_id is not null and attempt is not null and size is not null))
      );
      create index files_pending on files (stamp_id) where status = 'pending';
    `);
  },
  async down(knex) {
    await knex.raw('drop table files; drop table paths; drop table staged; drop table stamps;');
  },
};
