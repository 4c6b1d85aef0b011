import type { Migration } from '@indelible/postgres';

/** How often the transaction of an account's grant reverted; and where accounts are found that nothing can be stamped for. */
export const unserviceableAccounts: Migration = {
  name: '0112-unserviceable-accounts',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      alter table accounts add column grant_reverts integer not null default 0;
      drop index accounts_revoked;
      create index accounts_unserviceable on accounts (account)
        where revoked_block is not null or (granted_block is null and grant_reverts >= 3);
      create index accounts_granting on accounts (grant_batch_id)
        where granted_block is null and grant_batch_id is not null and grant_reverts < 3;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index accounts_granting;
      drop index accounts_unserviceable;
      create index accounts_revoked on accounts (account) where revoked_block is not null;
      alter table accounts drop column grant_reverts;
    `);
  },
};
