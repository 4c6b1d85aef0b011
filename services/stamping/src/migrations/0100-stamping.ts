import type { Migration } from '@indelible/postgres';

/** What stamping owns: whom it may stamp for, collections, stamps, and how they reach the chain. */
export const stampingTables: Migration = {
  name: '0100-stamping',
  async up(knex) {
    await knex.raw(`
      create table accounts (
        account bytea primary key check (length(account) = 20),
        grant_nonce bigint not null,
        grant_signature bytea not null,
        opened_at timestamptz not null,
        -- The block of the grant's log; null while it is not on the canonical chain.
        granted_block bigint,
        -- The owner took the grant back: nothing is stamped for it until it grants again.
        revoked_block bigint,
        grant_batch_id uuid
      );
      create index accounts_to_grant on accounts (opened_at) where granted_block is null and grant_batch_id is null;

      create table collections (
        id bigint generated always as identity primary key,
        account bytea not null check (length(account) = 20),
        cid bytea not null check (length(cid) = 32),
        name text not null,
        name_folded text not null,
        description text,
        is_pinned boolean not null,
        registered_at timestamptz not null,
        -- Version of the collection's stream in events.
        version integer not null,
        -- The batch whose first run of this set records it; null until one does.
        batch_id uuid,
        -- The block of its AddSet; null while that is not on the canonical chain.
        created_block bigint,
        created_time bigint,
        created_transaction bytea,
        -- Its AddSet stands at the configured depth.
        is_created boolean not null default false,
        unique (account, name_folded),
        unique (account, cid)
      );
      create index collections_to_record on collections (id) where created_block is null and batch_id is null;
      create index collections_to_confirm on collections (created_block) where created_block is not null and not is_created;
      create index collections_by_block on collections (created_block) where created_block is not null;

      create table collection_requests (
        request_id uuid primary key,
        collection_id bigint not null references collections,
        reply_to text
      );
      create index collection_requests_by_collection on collection_requests (collection_id);

      create table batches (
        id uuid primary key,
        chain_id bigint not null,
        lane bytea not null,
        nonce bigint not null,
        -- commit: items are the stamps and collections that name this batch; grant: items are accounts.
        kind text not null check (kind in ('commit', 'grant')),
        -- signed: stored and being broadcast; included: in a block; finalized; reverted: in a block, without effect.
        status text not null check (status in ('signed', 'included', 'finalized', 'reverted')),
        gas_limit bigint not null,
        block_number bigint,
        block_hash bytea,
        signed_at timestamptz not null default now(),
        -- One nonce is used for one set of items only (I3).
        unique (lane, nonce)
      );
      create index batches_in_flight on batches (lane, nonce) where status = 'signed';
      create index batches_not_final on batches (block_number) where status = 'included';

      -- The transactions of a batch: the first, and replacements with higher fees and the same items.
      create table transactions (
        hash bytea primary key check (length(hash) = 32),
        batch_id uuid not null references batches,
        raw bytea not null,
        fees json not null,
        stored_at timestamptz not null default clock_timestamp()
      );
      create index transactions_by_batch on transactions (batch_id);

      create table stamps (
        id uuid primary key,
        seq bigint generated always as identity,
        account bytea not null check (length(account) = 20),
        set_cid bytea not null check (length(set_cid) = 32),
        object_cid bytea not null check (length(object_cid) = 32),
        collection_id bigint references collections,
        -- requested: waits for a batch; submitted: its transaction is stored; included: in a block; confirmed: at depth.
        status text not null check (status in ('requested', 'submitted', 'included', 'confirmed', 'failed')),
        -- Made by an idempotent request: at most one of these is in flight per identity (I2).
        exclusive boolean not null,
        content json,
        reply_to text,
        -- The id of the HTTP request that asked for it: it runs through logs and messages.
        request_id uuid,
        requested_at timestamptz not null,
        -- Version of the stamp's stream in events.
        version integer not null,
        -- How many reverted batches it was in: the more, the smaller its next one.
        reverted_batches integer not null default 0,
        batch_id uuid references batches,
        batch_index integer,
        transaction_hash bytea,
        log_index integer,
        block_number bigint,
        block_hash bytea,
        block_time bigint
      ) with (fillfactor = 80);
      create unique index stamps_one_in_flight on stamps (account, set_cid, object_cid)
        where exclusive and status in ('requested', 'submitted', 'included');
      create index stamps_by_identity on stamps (object_cid, account, set_cid);
      create index stamps_waiting on stamps (reverted_batches desc, seq) where status = 'requested';
      create index stamps_by_batch on stamps (batch_id, batch_index);
      create index stamps_to_confirm on stamps (block_number) where status = 'included';

      -- Requests that wait for a stamp another request asked for.
      create table joined_requests (
        request_id uuid primary key,
        stamp_id uuid not null references stamps,
        reply_to text not null
      );
      create index joined_requests_by_stamp on joined_requests (stamp_id);

      create table lanes (
        lane bytea primary key check (length(lane) = 20),
        chain_id bigint not null,
        next_nonce bigint not null,
        lease_holder text,
        -- Grows with every change of holder: a former holder's writes carry an older one and are refused.
        lease_token bigint not null default 0,
        lease_until timestamptz not null default 'epoch'
      );

      create table chain_cursor (
        chain_id bigint primary key,
        number bigint not null,
        hash bytea not null,
        -- How many of the block's parts were read, of how many.
        part integer not null,
        parts integer not null,
        finalized bigint not null default 0
      );
    `);
  },
  async down(knex) {
    await knex.raw(`
      drop table chain_cursor; drop table lanes; drop table joined_requests; drop table stamps; drop table transactions;
      drop table batches; drop table collection_requests; drop table collections; drop table accounts;
    `);
  },
};
