import type { Migration } from '@indelible/postgres';

/** Collections whose events a webhook passes over for now (docs/adr/0027-webhooks.md). */
export const webhookBacklogsMigration: Migration = {
  name: '0116-webhook-backlogs',
  async up(knex) {
    await knex.raw(`
      create table webhook_backlogs (
        webhook_id uuid not null references webhooks on delete cascade,
        -- empty: events of the account itself
        set_cid bytea not null,
        -- of the account's log: events of the collection behind it are still to be delivered
        position bigint not null,
        primary key (webhook_id, set_cid)
      )
    `);
  },
  async down(knex) {
    await knex.raw('drop table webhook_backlogs');
  },
};
