import { eventStoreMigrations } from '@indelible/event-store';
import { AccountOpened, type MessageContract } from '@indelible/messages';
import type { Migration } from '@indelible/postgres';

/** The Postgres schema of accounts and keys. The gateway's process runs its relay. */
export const accountsSchema = 'accounts';

/** What is published from the schema's event store. */
export const accountsMessages: readonly MessageContract[] = [AccountOpened];

/**
 * Instants that people read have milliseconds, as JavaScript's dates do. An index of the sequence is used once, even if
 * its account is never written: an address belongs to one account forever.
 */
export const accountsMigrations: readonly Migration[] = [
  ...eventStoreMigrations,
  {
    name: '0100-accounts',
    async up(knex) {
      await knex.raw(`
        create sequence account_indexes as integer minvalue 0 start with 0 no cycle;
        create table accounts (
          address bytea primary key check (length(address) = 20),
          derivation_index integer not null unique,
          persistent_id uuid not null unique,
          name text not null,
          email text not null,
          description text not null,
          display_timezone text not null,
          date_joined timestamptz(3) not null,
          grant_seen boolean not null default false
        );
        create table api_keys (
          id uuid primary key,
          account bytea not null references accounts (address),
          name text not null,
          hash bytea not null unique check (length(hash) = 32),
          hint text not null,
          scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'stamp']),
          created_at timestamptz(3) not null,
          expires_at timestamptz(3),
          revoked_at timestamptz(3),
          last_used_at timestamptz(3)
        );
        create index api_keys_of_account on api_keys (account, created_at);
      `);
    },
    async down(knex) {
      await knex.raw('drop table api_keys; drop table accounts; drop sequence account_indexes;');
    },
  },
  {
    // Of each of the account's keys: a bucket of `rate_limit_burst` requests that fills at `rate_limit_per_second`.
    name: '0101-rate-limits',
    async up(knex) {
      await knex.raw(`
        alter table accounts
          add column rate_limit_per_second integer check (rate_limit_per_second > 0),
          add column rate_limit_burst integer check (rate_limit_burst > 0),
          add check ((rate_limit_per_second is null) = (rate_limit_burst is null));
      `);
    },
    async down(knex) {
      await knex.raw('alter table accounts drop column rate_limit_per_second, drop column rate_limit_burst;');
    },
  },
  {
    // While it is set, no key of the account is accepted.
    name: '0102-disabled-accounts',
    async up(knex) {
      await knex.raw('alter table accounts add column disabled_at timestamptz(3);');
    },
    async down(knex) {
      await knex.raw('alter table accounts drop column disabled_at;');
    },
  },
];
