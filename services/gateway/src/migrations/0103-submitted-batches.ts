import type { Migration } from '@indelible/postgres';

const statusOf = (submitted: string): string => `
  drop column status, add column status text not null generated always as (
    case
      when on_chain then 'confirmed'
      when refusal is not null then 'failed'
      when ${submitted} then 'submitted'
      else 'accepted'
    end) stored`;

/**
 * That a batch is on its way is a row of the batch, not a write of each of its stamps: it goes when the batch is final and its stamps are told of.
 * What is read of it is the status resource of a stamp that no block has yet, found by the range of the batch's ids
 * (docs/hot-path.md, What waits).
 */
export const submittedBatches: Migration = {
  name: '0103-submitted-batches',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      create table submitted_batches (
        batch_id uuid primary key,
        -- The least and the greatest of the ids.
        first_id uuid not null,
        last_id uuid not null,
        stamp_ids uuid[] not null,
        -- The batch is final, or a stamp of it is done.
        is_done boolean not null default false
      );
      -- Ids do not compress.
      alter table submitted_batches alter column stamp_ids set storage external;
      insert into submitted_batches
        select id, id, id, array[id] from stamps where submitted and on_chain is null and refusal is null;
      alter table stamps ${statusOf('on_chain is not null')}, drop column submitted;
    `);
  },
  async down(knex) {
    await knex.raw(`
      alter table stamps add column submitted boolean not null default false;
      update stamps s set submitted = true
        where on_chain is not null or exists (select from submitted_batches b where s.id = any(b.stamp_ids));
      alter table stamps ${statusOf('submitted')};
      drop table submitted_batches;
    `);
  },
};
