import type { Migration } from '@indelible/postgres';

/**
 * The gateway's read models. A row of `stamps` holds facts that arrive in any order among partitions; `status` follows
 * from the facts alone, so no late message can turn it back. A receipt of JSON null says that a reorg took it.
 */
export const gatewayTables: Migration = {
  name: '0100-gateway',
  async up(knex) {
    await knex.raw(`
      create table stamps (
        id uuid primary key,
        account text,
        object_cid text,
        set_cid text,
        requested_at timestamptz,
        submitted boolean not null default false,
        finalized boolean not null default false,
        receipt jsonb,
        refusal jsonb,
        file_name text,
        file_path text,
        status text not null generated always as (
          case
            when jsonb_typeof(receipt) = 'object' then case when finalized then 'finalized' else 'confirmed' end
            when refusal is not null then 'failed'
            when submitted then 'submitted'
            else 'accepted'
          end) stored
      ) with (fillfactor = 80);
      create table stamp_aliases (
        request_id uuid primary key,
        stamp_id uuid not null
      );
      create table collections (
        id bigint primary key,
        account text not null,
        cid text not null,
        name text not null,
        folded_name text not null,
        description text,
        is_pinned boolean not null,
        is_public boolean not null,
        registered_at timestamptz not null,
        created boolean not null default false
      );
      create unique index collections_by_cid on collections (account, cid);
      create unique index collections_by_name on collections (account, folded_name);
    `);
  },
  async down(knex) {
    await knex.raw('drop table collections; drop table stamp_aliases; drop table stamps;');
  },
};
