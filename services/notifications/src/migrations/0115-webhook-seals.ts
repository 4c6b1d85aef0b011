import type { Migration } from '@indelible/postgres';

/**
 * Room for sealed URLs, and for more than one former secret. A migration has no sealing keys: the service seals what is there when it starts,
 * and what a replica of the release before writes, within the hour (webhooks/keep-webhooks.ts).
 */
export const webhookSealsMigration: Migration = {
  name: '0115-webhook-seals',
  async up(knex) {
    await knex.raw(`
      alter table webhooks
        -- null: the URL is in url, as text
        add column sealed_url bytea,
        -- those before former_secret, the newest first, each with its time
        add column older_secrets bytea[] not null default '{}',
        add column older_untils timestamptz[] not null default '{}'
    `);
  },
  async down(knex) {
    await knex.raw('alter table webhooks drop column sealed_url, drop column older_secrets, drop column older_untils');
  },
};
