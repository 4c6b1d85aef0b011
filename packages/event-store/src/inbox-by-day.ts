import type { Migration } from '@indelible/postgres';
import { firstIdWithoutTime } from './inbox-day.ts';
import { daysAround, statementsOfDay } from './inbox-days.ts';

const columns = `consumer text not null, message_id uuid not null, handled_at timestamptz not null default now(),
  primary key (consumer, message_id)`;

/**
 * The inbox in partitions: one for the ids of each day, dropped as a whole; `inbox_without_time` for ids without a
 * time, and `inbox_default` for all others, both deleted row by row. Rows already in the inbox are copied unless
 * expired. `claim_messages` has one plan for all calls, so that a call costs the partitions of its ids and not all of
 * them (docs/adr/0021-inbox-by-day.md).
 */
export const inboxByDay: Migration = {
  name: '0004-inbox-by-day',
  async up(knex) {
    const now = Date.now();
    await knex.raw(`
      drop index inbox_by_age;
      alter table inbox rename to inbox_before;
      alter table inbox_before rename constraint inbox_pkey to inbox_before_pkey;
      create table inbox (${columns}) partition by range (message_id);
      create table inbox_default partition of inbox default;
      create table inbox_without_time partition of inbox for values from ('${firstIdWithoutTime}') to (maxvalue);
      create index on inbox_default (handled_at);
      create index on inbox_without_time (handled_at);
      create function claim_messages(of_consumer text, ids uuid[], low uuid, high uuid) returns setof uuid
        language plpgsql set plan_cache_mode = force_generic_plan as $$
        begin
          return query
            with had as materialized (
              select message_id from inbox
              where consumer = of_consumer and message_id = any(ids) and message_id between low and high
            ), noted as (
              insert into inbox (consumer, message_id)
              select of_consumer, id from unnest(ids) as id where id not in (select message_id from had)
            )
            select message_id from had;
        end $$;
    `);
    const { rows } = (await knex.raw('select from inbox_before limit 1')) as { rows: unknown[] };
    for (const day of daysAround(now, rows.length === 0 ? 1 : 30, 1))
      for (const statement of statementsOfDay(day)) await knex.raw(statement);
    await knex.raw(`
      insert into inbox (consumer, message_id, handled_at)
        select consumer, message_id, handled_at from inbox_before where handled_at >= now() - interval '30 days';
      drop table inbox_before;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop function claim_messages;
      alter table inbox rename to inbox_parts;
      alter table inbox_parts rename constraint inbox_pkey to inbox_parts_pkey;
      create table inbox (${columns});
      insert into inbox (consumer, message_id, handled_at) select consumer, message_id, handled_at from inbox_parts;
      drop table inbox_parts;
      create index inbox_by_age on inbox using brin (handled_at) with (pages_per_range = 32);
    `);
  },
};
