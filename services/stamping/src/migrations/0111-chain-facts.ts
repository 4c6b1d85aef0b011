import type { Migration } from '@indelible/postgres';

/**
 * Every grant and revocation of the operator's right is kept with its block, and an account's state is derived from them: a
 * reorg that takes back the last one brings back the one before. Batches in final blocks have an index by block, so that a
 * reorg below finality is taken back in parts.
 */
export const chainFactsMigration: Migration = {
  name: '0111-chain-facts',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      create table delegations (
        account bytea not null check (length(account) = 20),
        block_number bigint not null,
        -- The last log of the account in the block.
        kind text not null check (kind in ('grant', 'revoke')),
        primary key (account, block_number)
      );
      create index delegations_by_block on delegations (block_number);
      insert into delegations (account, block_number, kind)
        select account, granted_block, 'grant' from accounts where granted_block is not null;
      insert into delegations (account, block_number, kind)
        select account, revoked_block, 'revoke' from accounts where revoked_block is not null
        on conflict (account, block_number) do update set kind = excluded.kind;
      create index accounts_revoked on accounts (account) where revoked_block is not null;
      create index batches_final on batches (block_number) where status = 'finalized';
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop index batches_final;
      drop index accounts_revoked;
      drop table delegations;
    `);
  },
};
