import type { Migration } from '@indelible/postgres';

/**
 * Events are published in the order of their positions, up to the settled one: every transaction that could append at
 * or below it has ended. Before an append draws a position it takes a shared lock that names the last drawn position,
 * and holds it to its end. So `settled_position()` is the lowest position named by such a lock, or the one drawn last
 * when there is none. It reads the latter first: an append that locks later draws a higher one. It waits for appends
 * and for no other transaction of the server (docs/adr/0004-event-store-is-the-outbox.md).
 *
 * A lock has room for 32 bits of a position; appends that run at the same time are never that far apart.
 */
export const settledPosition: Migration = {
  name: '0006-settled-position',
  async up(knex) {
    await knex.raw(`
      lock table events in access exclusive mode;
      create function name_last_position() returns trigger language plpgsql set search_path from current as $$
        begin
          perform pg_advisory_xact_lock_shared(tg_relid::int4,
            (select ((case when is_called then last_value else 0 end) & 4294967295)::oid::int4 from events_position_seq));
          return null;
        end $$;
      create trigger name_last_position before insert on events for each statement execute function name_last_position();
      create function settled_position() returns bigint language plpgsql set search_path from current as $$
        declare
          drawn bigint;
        begin
          select case when is_called then last_value else 0 end into drawn from events_position_seq;
          return (
            select drawn - coalesce(max(behind), 0) from (
              select (drawn - l.objid::bigint) & 4294967295 as behind from pg_locks l
              where l.locktype = 'advisory' and l.classid = 'events'::regclass and l.objsubid = 2
                and l.database = (select oid from pg_database where datname = current_database())) as appending
            where behind < 2147483648);
        end $$;
      update relay_cursor c set position = coalesce(
        (select min(e.position) - 1 from events e where (e.transaction_id, e.position) > (c.transaction_id, c.position)),
        (select max(e.position) from events e), 0);
      alter table relay_cursor drop column transaction_id;
      alter table events drop column transaction_id;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop trigger name_last_position on events;
      drop function name_last_position;
      drop function settled_position;
      alter table events add column transaction_id xid8 not null default '0';
      alter table events alter column transaction_id set default pg_current_xact_id();
      alter table relay_cursor add column transaction_id xid8 not null default '0';
      create index events_in_commit_order on events (transaction_id, position);
    `);
  },
};
