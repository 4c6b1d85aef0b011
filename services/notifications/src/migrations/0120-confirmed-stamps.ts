import type { Migration } from '@indelible/postgres';

/**
 * Confirmed stamps that are not final, apart from their batch's state: a batch is confirmed in parts, and each part is written once.
 * They are read when stamps of the batch become final, or are reverted.
 */
export const confirmedStampsMigration: Migration = {
  name: '0120-confirmed-stamps',
  async up(knex) {
    await knex.raw(`
      create table confirmed_stamps (
        batch_id uuid not null,
        ordinal bigint generated always as identity,
        -- by the stamp's id; a later row is right where two have the same
        stamps json not null,
        primary key (batch_id, ordinal)
      );
      do $$ begin
        alter table confirmed_stamps alter column stamps set compression lz4;
      exception when feature_not_supported then
        -- This server was built without it; its default needs more time.
        null;
      end $$;
      insert into confirmed_stamps (batch_id, stamps) select batch_id, state -> 'confirmed' from batches where open_stamps > 0;
      update batches set state = (state::jsonb - 'confirmed')::json;
    `);
  },
  async down(knex) {
    await knex.raw(`
      update batches b set state = (b.state::jsonb || jsonb_build_object('confirmed', coalesce((
        select jsonb_object_agg(s.key, s.value order by c.ordinal)
        from confirmed_stamps c, jsonb_each(c.stamps::jsonb) s where c.batch_id = b.batch_id), '{}')))::json;
      drop table confirmed_stamps;
    `);
  },
};
