import type { Fees, SignedTransaction } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import { arrayOf, type Client, type Database } from '@indelible/postgres';

export type NewBatch = {
  readonly id: string;
  readonly chainId: number;
  readonly lane: Hex;
  readonly nonce: number;
  readonly kind: 'commit' | 'grant';
  readonly gasLimit: number;
  /** In the order of the transaction's objects. */
  readonly stampIds: readonly string[];
};

export async function insertBatch(
  client: Client,
  batch: NewBatch,
  signed: SignedTransaction,
  fees: Fees,
): Promise<void> {
  await client.query({
    name: 'insert-batch',
    text: `insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit, stamp_ids)
           values ($1, $2, $3, $4, $5, 'signed', $6, $7::uuid[])`,
    values: [
      ...[batch.id, batch.chainId, bytesOfHex(batch.lane), batch.nonce, batch.kind, batch.gasLimit],
      arrayOf.uuid(batch.stampIds),
    ],
  });
  await insertTransaction(client, batch.id, signed, fees);
}

/** These stamps wait no more: they are in a batch. */
export async function takeFromWaiting(
  client: Client,
  stamps: readonly { readonly account: Hex; readonly seq: number }[],
): Promise<void> {
  if (stamps.length === 0) return;
  await client.query({
    name: 'take-from-waiting',
    text: `delete from waiting_stamps where ctid = any(array(
             select w.place from unnest($1::bytea[], $2::bigint[]) as taken (account, seq)
             cross join lateral (
               select ctid as place from waiting_stamps where account = taken.account and seq = taken.seq limit 1) as w))`,
    values: [arrayOf.bytea(stamps.map(({ account }) => account)), arrayOf.bigint(stamps.map(({ seq }) => seq))],
  });
}

/** What of a batch's stamps no block has waits for another batch. */
export async function putBackToWaiting(client: Client, batchId: string, afterRevert: boolean): Promise<number> {
  const { rowCount } = await client.query({
    name: 'put-back-to-waiting',
    text: `with freed as (
             update stamps set reverted_batches = reverted_batches + $2
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

export async function assignGrant(client: Client, batchId: string, account: Hex): Promise<void> {
  await client.query({
    name: 'assign-grant',
    text: 'update accounts set grant_batch_id = $1 where account = $2',
    values: [batchId, bytesOfHex(account)],
  });
}

export type UnincludedTransaction = {
  readonly batchId: string;
  readonly nonce: number;
  readonly hash: Hex;
  readonly raw: Hex;
  /** Since it was stored. */
  readonly ageMs: number;
};

/** The newest transaction of each of the lane's batches that is not in a block, in the order of nonces. */
export async function loadUnincluded(
  database: Pick<Database, 'query'>,
  lane: Hex,
  limit: number,
): Promise<UnincludedTransaction[]> {
  const { rows } = await database.query<{ batch_id: string; nonce: number; hash: Buffer; raw: Buffer; age: number }>({
    name: 'load-unincluded',
    text: `select b.id as batch_id, b.nonce, t.hash, t.raw,
             (extract(epoch from clock_timestamp() - t.stored_at) * 1000)::float8 as age
           from batches b cross join lateral (
             select * from transactions where batch_id = b.id order by stored_at desc limit 1) as t
           where b.lane = $1 and b.status = 'signed' order by b.nonce limit $2`,
    values: [bytesOfHex(lane), limit],
  });
  return rows.map((row) => ({
    batchId: row.batch_id,
    nonce: row.nonce,
    hash: hexOfBytes(row.hash),
    raw: hexOfBytes(row.raw),
    ageMs: row.age,
  }));
}

/** All transactions that were ever stored for a batch, the newest first: any of them may be the one in a block. */
export async function loadHashes(database: Pick<Database, 'query'>, batchId: string): Promise<Hex[]> {
  const { rows } = await database.query<{ hash: Buffer }>({
    name: 'load-hashes',
    text: 'select hash from transactions where batch_id = $1 order by stored_at desc',
    values: [batchId],
  });
  return rows.map(({ hash }) => hexOfBytes(hash));
}

export type StoredTransaction = { readonly raw: Hex; readonly fees: Fees };

/** The newest transaction of a batch that is in no block yet, locked with its batch. */
export async function lockNewest(client: Client, batchId: string): Promise<StoredTransaction | undefined> {
  const { rows } = await client.query<{ raw: Buffer; fees: Record<string, string> }>({
    name: 'lock-newest-transaction',
    text: `select t.raw, t.fees from batches b join transactions t on t.batch_id = b.id
           where b.id = $1 and b.status = 'signed' order by t.stored_at desc limit 1 for update of b`,
    values: [batchId],
  });
  const [row] = rows;
  return row === undefined ? undefined : { raw: hexOfBytes(row.raw), fees: feesOfJson(row.fees) };
}

export async function insertTransaction(
  client: Client,
  batchId: string,
  signed: SignedTransaction,
  fees: Fees,
): Promise<void> {
  await client.query({
    name: 'insert-transaction',
    text: 'insert into transactions (hash, batch_id, raw, fees) values ($1, $2, $3, $4)',
    values: [bytesOfHex(signed.hash), batchId, bytesOfHex(signed.rawTransaction), feesAsJson(fees)],
  });
}

const feesAsJson = (fees: Fees): string =>
  JSON.stringify(fees, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));

const feesOfJson = (fees: Record<string, string>): Fees =>
  fees.kind === 'legacy'
    ? { kind: 'legacy', gasPrice: BigInt(fees.gasPrice ?? 0) }
    : {
        kind: 'eip1559',
        maxFeePerGas: BigInt(fees.maxFeePerGas ?? 0),
        maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas ?? 0),
      };
