import type { Migration } from '@indelible/postgres';

/** Webhooks, the position of each, and the outcomes of their deliveries (docs/adr/0027-webhooks.md). */
export const webhooksMigration: Migration = {
  name: '0110-webhooks',
  async up(knex) {
    await knex.raw(`
      create table webhooks (
        webhook_id uuid primary key,
        account bytea not null,
        url text not null,
        types text[] not null,
        -- empty: all
        collections bytea[] not null,
        ordered boolean not null,
        description text,
        -- sealed
        secret bytea not null,
        former_secret bytea,
        former_until timestamptz,
        status text not null default 'enabled' check (status in ('enabled', 'disabled')),
        disabled_reason text,
        disabled_at timestamptz,
        -- of the account's log: everything up to it is delivered or has a row in deliveries
        position bigint not null,
        -- when the first delivery failed since the last that succeeded
        failing_since timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null
      ) with (fillfactor = 70);
      create index webhooks_by_account on webhooks (account, created_at, webhook_id);
      create index webhooks_enabled on webhooks (webhook_id) where status = 'enabled';
      create table redeliveries (
        webhook_id uuid primary key references webhooks on delete cascade,
        -- as in webhooks
        position bigint not null,
        until_position bigint not null,
        types text[],
        since timestamptz not null,
        until timestamptz,
        requested_at timestamptz not null default now()
      );
      create table deliveries (
        webhook_id uuid not null references webhooks on delete cascade,
        -- of the event in the account's log
        position bigint not null,
        event_id uuid not null,
        type text not null,
        -- empty: events of the account itself
        set_cid bytea not null,
        status text not null check (status in ('waiting', 'delivered', 'failed')),
        -- since it was first due, or was requested again
        tries integer not null,
        -- requested again: later events of its collection do not wait for it
        again boolean not null,
        next_attempt_at timestamptz,
        attempts jsonb not null,
        began_at timestamptz not null default now(),
        noted_at timestamptz not null default now(),
        primary key (webhook_id, position)
      );
      create index deliveries_by_event on deliveries (webhook_id, event_id);
      create index deliveries_by_age on deliveries (noted_at) where status <> 'waiting';
      create index deliveries_due on deliveries (webhook_id, next_attempt_at) where status = 'waiting';
      create index deliveries_in_order on deliveries (webhook_id, set_cid, position) where status = 'waiting' and not again;
    `);
  },
  async down(knex) {
    await knex.raw('drop table deliveries, redeliveries, webhooks');
  },
};
