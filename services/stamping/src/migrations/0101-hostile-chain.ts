import type { Migration } from '@indelible/postgres';

/**
 * `superseded`: the nonce was used by a transaction that is not ours, for good: the items wait for another batch.
 * `low_funds`: the lane cannot pay for much longer and takes nothing new. `safe`: the newest block that the node calls so.
 * What waits is taken in turns of accounts.
 */
export const hostileChainMigration: Migration = {
  name: '0101-hostile-chain',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      alter table batches drop constraint batches_status_check;
      alter table batches add constraint batches_status_check
        check (status in ('signed', 'included', 'finalized', 'reverted', 'superseded'));
      alter table lanes add column low_funds boolean not null default false;
      alter table chain_cursor add column safe bigint not null default 0;
      drop index stamps_waiting;
      create index stamps_waiting on stamps (account, seq) where status = 'requested' and reverted_batches = 0;
      create index stamps_of_reverted on stamps (reverted_batches desc, seq)
        where status = 'requested' and reverted_batches > 0;
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index stamps_of_reverted;
      drop index stamps_waiting;
      create index stamps_waiting on stamps (reverted_batches desc, seq) where status = 'requested';
      alter table chain_cursor drop column safe;
      alter table lanes drop column low_funds;
      update batches set status = 'reverted' where status = 'superseded';
      alter table batches drop constraint batches_status_check;
      alter table batches add constraint batches_status_check
        check (status in ('signed', 'included', 'finalized', 'reverted'));
    `);
  },
};
