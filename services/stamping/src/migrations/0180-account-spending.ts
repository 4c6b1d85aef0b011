import type { Migration } from '@indelible/postgres';

/** What accounts spent of what lanes own, by the hour, and what each lane has free: so that it can be shared among accounts. */
export const accountSpending: Migration = {
  name: '0180-account-spending',
  async up(knex) {
    await knex.raw(`
      create table account_spending (
        hour timestamptz not null,
        -- Lanes write in turn, each under its own lease: none waits for another's row.
        lane bytea not null,
        account bytea not null,
        gas bigint not null,
        wei numeric not null,
        primary key (hour, lane, account)
      );
      -- Null until the lane's holder has looked.
      alter table lanes add column free_wei numeric, add column gas_price_wei numeric;
    `);
  },
  async down(knex) {
    await knex.raw('alter table lanes drop column free_wei, drop column gas_price_wei; drop table account_spending;');
  },
};
