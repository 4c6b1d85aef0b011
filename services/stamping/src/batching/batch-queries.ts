import type { Fees, SignedTransaction } from '@indelible/ethereum';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';
import type { Spending } from '../decisions/spending-of-batch.ts';

export type NewBatch = {
  readonly id: string;
  readonly chainId: number;
  readonly lane: Hex;
  readonly nonce: number;
  readonly kind: 'commit' | 'grant';
  readonly gasLimit: number;
  /** In the order of the transaction's objects; no longer waiting. */
  readonly stamps: readonly { readonly stampId: string; readonly account: Hex; readonly seq: number }[];
  /** Per account of the batch. */
  readonly spending: readonly Spending[];
  /** Of its trace; null when it has none. */
  readonly traceparent: string | null;
};

/** Stores a batch with its first transaction and its stamps, and what it costs their accounts, in one statement (I3). */
export async function storeBatch(
  client: Client,
  batch: NewBatch,
  signed: SignedTransaction,
  fees: Fees,
): Promise<void> {
  const { stamps, spending } = batch;
  await client.query({
    name: 'store-batch',
    text: `with batch as (
             insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit, stamp_ids, traceparent)
             values ($1, $2, $3, $4, $5, 'signed', $6, $7::uuid[], $8)
           ), transaction as (
             insert into transactions (hash, batch_id, raw, fees, version, is_empty) values ($9, $1, $10, $11, 1, false)
           ), spent as (
             insert into account_spending (hour, lane, account, gas, wei)
             select date_trunc('hour', now(), 'UTC'), $3, account, gas, wei::numeric
             from unnest($14::bytea[], $15::bigint[], $16::text[]) as own (account, gas, wei)
             on conflict (hour, lane, account) do update
               set gas = account_spending.gas + excluded.gas, wei = account_spending.wei + excluded.wei)
           delete from waiting_stamps where ctid = any(array(
             select w.place from unnest($12::bytea[], $13::bigint[]) as taken (account, seq)
             cross join lateral (
               select ctid as place from waiting_stamps where account = taken.account and seq = taken.seq limit 1) as w))`,
    values: [
      ...[batch.id, batch.chainId, bytesOfHex(batch.lane), batch.nonce, batch.kind, batch.gasLimit],
      ...[arrayOf.uuid(stamps.map(({ stampId }) => stampId)), batch.traceparent],
      ...[bytesOfHex(signed.hash), bytesOfHex(signed.rawTransaction), feesAsJson(fees)],
      ...[arrayOf.bytea(stamps.map(({ account }) => account)), arrayOf.bigint(stamps.map(({ seq }) => seq))],
      arrayOf.bytea(spending.map(({ account }) => account)),
      arrayOf.bigint(spending.map(({ gas }) => gas)),
      arrayOf.text(spending.map(({ wei }) => wei.toString())),
    ],
  });
}

/**
 * Stores a version of the batch's transaction as its newest. A version stored before becomes the newest again, as when
 * fees rose and fell.
 */
export async function insertTransaction(
  client: Client,
  batchId: string,
  signed: SignedTransaction,
  fees: Fees,
  { version, isEmpty }: { readonly version: number; readonly isEmpty: boolean },
): Promise<void> {
  await client.query({
    name: 'insert-transaction',
    text: `insert into transactions (hash, batch_id, raw, fees, version, is_empty) values ($1, $2, $3, $4, $5, $6)
           on conflict (hash) do update set version = excluded.version, raw = excluded.raw`,
    values: [
      ...[bytesOfHex(signed.hash), batchId, bytesOfHex(signed.rawTransaction), feesAsJson(fees), version, isEmpty],
    ],
  });
}

/** Returns the batch's stamps that are in no block to waiting. */
export async function putBackToWaiting(client: Client, batchId: string, afterRevert: boolean): Promise<number> {
  const { rowCount } = await client.query({
    name: 'put-back-to-waiting',
    text: `with freed as (
             update stamps set reverted_batches = reverted_batches + $2, resubmissions = resubmissions + 1
             where id = any((select stamp_ids from batches where id = $1)::uuid[]) and status = 'requested'
             returning account, seq, id, reverted_batches)
           insert into waiting_stamps (account, seq, stamp_id, reverted_batches) select * from freed`,
    values: [batchId, afterRevert ? 1 : 0],
  });
  return rowCount ?? 0;
}

export async function assignCollections(client: Client, batchId: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: 'assign-collections',
    text: 'update collections set batch_id = $1 where id = any($2::bigint[]) and created_block is null',
    values: [batchId, arrayOf.bigint(ids)],
  });
}

/**
 * Frees the batch's collections that are in no block for another batch.
 * @returns the number of reverted batches of each
 */
export async function freeCollections(
  client: Client,
  batchId: string,
  afterRevert: boolean,
): Promise<readonly { readonly id: number; readonly reverts: number }[]> {
  const { rows } = await client.query<{ id: number; reverts: number }>(
    `update collections set batch_id = null, reverted_batches = reverted_batches + $2
     where batch_id = $1 and created_block is null returning id, reverted_batches as reverts`,
    [batchId, afterRevert ? 1 : 0],
  );
  return rows;
}

export async function assignGrant(client: Client, batchId: string, account: Hex): Promise<void> {
  await client.query({
    name: 'assign-grant',
    text: 'update accounts set grant_batch_id = $1 where account = $2',
    values: [batchId, bytesOfHex(account)],
  });
}

const feesAsJson = (fees: Fees): string =>
  JSON.stringify(fees, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));

export const feesOfJson = (fees: Record<string, string>): Fees =>
  fees.kind === 'legacy'
    ? { kind: 'legacy', gasPrice: BigInt(fees.gasPrice ?? 0) }
    : {
        kind: 'eip1559',
        maxFeePerGas: BigInt(fees.maxFeePerGas ?? 0),
        maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas ?? 0),
      };
