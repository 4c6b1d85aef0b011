import { buildPartitionedIndex, type Migration } from '@indelible/postgres';

/**
 * Receipts of a CID in the order of time: a page of them, or those of one instant, are found without reading all others of a CID
 * that many have stamped.
 */
export const commitmentsByTimeMigration: Migration = {
  name: '0110-commitments-by-time',
  config: { transaction: false },
  async up(knex) {
    const columns = '(object_cid, block_time, chain_id, block_number, log_index)';
    await buildPartitionedIndex(knex, 'commitments_by_time', 'commitments', columns);
  },
  async down(knex) {
    await knex.raw('drop index commitments_by_time');
  },
};
