import type { Migration } from '@indelible/postgres';

/**
 * One row a key and account. Without `outcome` the key is held while `lease_until` is ahead, and free else; `generation`
 * stays for as long as the row does, so that the same request under it is always the same command (docs/adr/0009).
 */
export const idempotencyKeysTable: Migration = {
  name: '0101-idempotency-keys',
  async up(knex) {
    await knex.raw(`
      create table idempotency_keys (
        account text not null,
        key text not null check (length(key) between 1 and 255),
        generation uuid not null,
        fingerprint bytea not null check (length(fingerprint) = 32),
        holder uuid,
        lease_until timestamptz,
        stamp_id uuid,
        outcome json,
        expires_at timestamptz not null,
        primary key (account, key),
        check ((holder is null) = (lease_until is null)),
        check (outcome is null or holder is null)
      ) with (fillfactor = 80);
      create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
    `);
  },
  async down(knex) {
    await knex.raw('drop table idempotency_keys;');
  },
};
