import type { Migration } from '@indelible/postgres';
import { eventsByPosition } from './events-by-position.ts';
import { inboxByDay } from './inbox-by-day.ts';
import { eventsWithRecords, records } from './records.ts';
import { settledPosition } from './settled-position.ts';

/** The tables every event-sourced schema has. `events` is event store and outbox in one (docs/adr/0004-event-store-is-the-outbox.md). */
export const eventStoreMigrations: readonly Migration[] = [
  {
    name: '0001-event-store',
    async up(knex) {
      await knex.raw(`
        create table events (
          position bigint generated always as identity,
          transaction_id xid8 not null default pg_current_xact_id(),
          stream text not null,
          version integer not null check (version > 0),
          type text not null,
          type_version integer not null,
          message_id uuid not null,
          data json not null,
          request_id uuid,
          traceparent text,
          recorded_at timestamptz not null default clock_timestamp(),
          primary key (stream, version)
        );
        create index events_in_commit_order on events (transaction_id, position);
        create table relay_cursor (
          only_row boolean primary key default true check (only_row),
          transaction_id xid8 not null default '0',
          position bigint not null default 0
        );
        insert into relay_cursor default values;
        create table inbox (
          consumer text not null,
          message_id uuid not null,
          handled_at timestamptz not null default now(),
          primary key (consumer, message_id)
        );
        create index inbox_by_age on inbox (handled_at);
      `);
    },
    async down(knex) {
      await knex.raw('drop table inbox; drop table relay_cursor; drop table events;');
    },
  },
  {
    // Rows arrive in the order of age: ranges of pages serve as well as an entry per row, which each message paid for.
    name: '0002-inbox-age-by-ranges',
    async up(knex) {
      await knex.raw(
        'drop index inbox_by_age; create index inbox_by_age on inbox using brin (handled_at) with (pages_per_range = 32)',
      );
    },
    async down(knex) {
      await knex.raw('drop index inbox_by_age; create index inbox_by_age on inbox (handled_at)');
    },
  },
  {
    // Events that the relay could not publish, and the later ones of their streams; their rows stay in `events`.
    name: '0003-relay-held',
    async up(knex) {
      await knex.raw(`
        create table relay_held (
          stream text not null,
          version integer not null,
          held_at timestamptz not null default now(),
          primary key (stream, version)
        );
      `);
    },
    async down(knex) {
      await knex.raw('drop table relay_held');
    },
  },
  inboxByDay,
  eventsByPosition,
  settledPosition,
  records,
  eventsWithRecords,
];
