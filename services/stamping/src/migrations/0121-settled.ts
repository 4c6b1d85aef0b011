import { buildIndex, type Migration, replaceIndex } from '@indelible/postgres';

/** What is settled drops its signed bytes after some time; collections of reverted batches come alone, as stamps do. */
export const settledMigration: Migration = {
  name: '0121-settled',
  config: { transaction: false },
  async up(knex) {
    // Null some time after a final block settled the batch.
    await knex.raw('alter table transactions alter column raw drop not null');
    await buildIndex(knex, 'transactions_to_drop', 'transactions', '(stored_at) where raw is not null');

    await knex.raw('alter table collections add column if not exists reverted_batches integer not null default 0');
    const waiting = 'created_block is null and batch_id is null';
    await replaceIndex(
      knex,
      'collections_to_record',
      'collections',
      `(account, id) where ${waiting} and reverted_batches = 0`,
    );
    await buildIndex(
      knex,
      'collections_of_reverted',
      'collections',
      `(reverted_batches, id) where ${waiting} and reverted_batches > 0 and reverted_batches < 10`,
    );
  },
  async down(knex) {
    await knex.raw(`
      drop index collections_of_reverted;
      drop index collections_to_record;
      alter table collections drop column reverted_batches;
      create index collections_to_record on collections (account, id) where created_block is null and batch_id is null;
      drop index transactions_to_drop;
      update transactions set raw = '' where raw is null;
      alter table transactions alter column raw set not null;
    `);
  },
};
