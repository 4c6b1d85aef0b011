import { buildIndex, dropIndex, type Migration } from '@indelible/postgres';

/**
 * A decision needs two stamps of an identity: the one in flight and the newest on the chain. Both are the first of this index,
 * those in no block before all others, so that what is read does not grow with an identity's history.
 */
export const identityOrder: Migration = {
  name: '0110-identities',
  config: { transaction: false },
  async up(knex) {
    await buildIndex(
      knex,
      'stamps_of_identity',
      'stamps',
      `(object_cid, account, set_cid, block_number desc nulls first, log_index desc) where status <> 'failed'`,
    );
    await dropIndex(knex, 'stamps_by_identity');
  },
  async down(knex) {
    await knex.raw(`
      create index stamps_by_identity on stamps (object_cid, account, set_cid);
      drop index stamps_of_identity;
    `);
  },
};
