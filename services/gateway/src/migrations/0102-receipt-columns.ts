import type { Migration } from '@indelible/postgres';

const cid = (of: string): string => `decode(substr(receipt->>'${of}', 3), 'hex')`;
const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;

/**
 * A receipt as columns, a quarter of what it takes as JSON: each of a stamp's row versions carries it. A receipt is final when
 * its very block is, so that finality writes a row a block and none a stamp.
 * `on_chain` is null until a receipt is told, and false when a reorg took it.
 */
export const receiptColumns: Migration = {
  name: '0102-receipt-columns',
  needsStop: true,
  async up(knex) {
    await knex.raw(`
      -- By hash: a chain that turned below its finality, or began anew, has other blocks of the same numbers.
      create table final_blocks (hash bytea primary key check (length(hash) = 32));
      alter table stamps drop column status,
        add column on_chain boolean,
        add column chain_id bigint,
        add column block_number bigint,
        add column log_index integer,
        add column block_time bigint,
        add column block_hash bytea,
        add column transaction_hash bytea;
      update stamps set on_chain = jsonb_typeof(receipt) = 'object',
        chain_id = (receipt->>'chainId')::bigint, block_number = (receipt->>'blockNumber')::bigint,
        log_index = (receipt->>'logIndex')::integer, block_time = (receipt->>'blockTime')::bigint,
        block_hash = ${cid('blockHash')}, transaction_hash = ${cid('transactionHash')}
      where receipt is not null;
      insert into final_blocks select distinct block_hash from stamps where finalized and on_chain;
      alter table stamps drop column receipt, drop column finalized,
        add column status text not null generated always as (
          case
            when on_chain then 'confirmed'
            when refusal is not null then 'failed'
            when submitted then 'submitted'
            else 'accepted'
          end) stored;
    `);
  },
  async down(knex) {
    await knex.raw(`
      alter table stamps drop column status, add column finalized boolean not null default false, add column receipt jsonb;
      update stamps s set receipt = case when not on_chain then 'null'::jsonb else jsonb_build_object(
          'transactionHash', ${hex('transaction_hash')}, 'logIndex', log_index, 'blockNumber', block_number,
          'blockHash', ${hex('block_hash')}, 'blockTime', block_time, 'chainId', chain_id, 'account', account,
          'setCid', set_cid, 'objectCid', object_cid) end,
        finalized = exists (select from final_blocks f where f.hash = s.block_hash)
      where on_chain is not null;
      alter table stamps drop column on_chain, drop column chain_id, drop column block_number, drop column log_index,
        drop column block_time, drop column block_hash, drop column transaction_hash,
        add column status text not null generated always as (
          case
            when jsonb_typeof(receipt) = 'object' then case when finalized then 'finalized' else 'confirmed' end
            when refusal is not null then 'failed'
            when submitted then 'submitted'
            else 'accepted'
          end) stored;
      drop table final_blocks;
    `);
  },
};
