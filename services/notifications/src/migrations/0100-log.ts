import type { Migration } from '@indelible/postgres';

/**
 * The log of public events, what of it is unpublished, the counters, and what the projection must remember between messages
 * (docs/adr/0025-public-events.md).
 */
export const logMigration: Migration = {
  name: '0100-log',
  async up(knex) {
    await knex.raw(`
      create table log (
        account bytea not null,
        -- of its last event
        position bigint not null,
        -- how many it has: their positions are the last ones up to its own
        events_count integer not null check (events_count > 0),
        events json not null,
        appended_at timestamptz not null default clock_timestamp(),
        primary key (account, position)
      );
      create index log_by_time on log (account, appended_at, position);
      do $$ begin
        alter table log alter column events set compression lz4;
      exception when feature_not_supported then
        -- This server was built without it; its default needs more time.
        null;
      end $$;
      create table unpublished (
        account bytea not null,
        position bigint not null,
        ordinal bigint generated always as identity,
        held boolean not null default false,
        primary key (account, position)
      );
      create index unpublished_in_order on unpublished (ordinal) where not held;
      create index unpublished_held on unpublished (account, position) where held;
      create table accounts (account bytea primary key, position bigint not null default 0) with (fillfactor = 70);
      create table sequences (
        account bytea not null,
        -- empty: events of the account itself
        set_cid bytea not null,
        last bigint not null,
        primary key (account, set_cid)
      ) with (fillfactor = 70);
      create table batches (
        batch_id uuid primary key,
        state json not null,
        -- confirmed stamps that are not final
        open_stamps integer not null,
        touched_at timestamptz not null default now()
      );
      create index batches_done on batches (touched_at) where open_stamps = 0;
      create table early_files (
        stamp_id uuid not null,
        message_id uuid not null,
        fact json not null,
        noted_at timestamptz not null default now(),
        primary key (stamp_id, message_id)
      );
      create index early_files_by_age on early_files (noted_at);
      create table failed_stamps (stamp_id uuid primary key, noted_at timestamptz not null default now());
      create index failed_stamps_by_age on failed_stamps (noted_at);
      create table collections (
        account bytea not null,
        set_cid bytea not null,
        name text not null,
        description text,
        is_pinned boolean not null,
        is_public boolean not null,
        primary key (account, set_cid)
      );
    `);
  },
  async down(knex) {
    await knex.raw(
      'drop table collections, failed_stamps, early_files, batches, sequences, accounts, unpublished, log',
    );
  },
};
