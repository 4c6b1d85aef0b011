import type { Migration } from '@indelible/postgres';

/**
 * Each stamp that comes into a block was checked for its batch, a query and a lock of the same row for each: 11 of the 45 µs that its
 * update takes. Its batch is read in the same transaction, and no batch is ever deleted; the doctor compares stamps with their batches.
 */
export const uncheckedBatches: Migration = {
  name: '0103-unchecked-batches',
  async up(knex) {
    await knex.raw('alter table stamps drop constraint stamps_batch_id_fkey');
  },
  async down(knex) {
    await knex.raw('alter table stamps add constraint stamps_batch_id_fkey foreign key (batch_id) references batches');
  },
};
