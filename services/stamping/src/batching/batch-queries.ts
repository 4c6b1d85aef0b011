import type { Fees, SignedTransaction } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';

export type NewBatch = {
  readonly id: string;
  readonly chainId: number;
  readonly lane: Hex;
  readonly nonce: number;
  readonly kind: 'commit' | 'grant';
  readonly gasLimit: number;
};

export async function insertBatch(
  client: Client,
  batch: NewBatch,
  signed: SignedTransaction,
  fees: Fees,
): Promise<void> {
  await client.query({
    name: 'insert-batch',
    text: `insert into batches (id, chain_id, lane, nonce, kind, status, gas_limit) values ($1, $2, $3, $4, $5, 'signed', $6)`,
    values: [batch.id, batch.chainId, bytesOfHex(batch.lane), batch.nonce, batch.kind, batch.gasLimit],
  });
  await client.query({
    name: 'insert-transaction',
    text: 'insert into transactions (hash, batch_id, raw, fees) values ($1, $2, $3, $4)',
    values: [bytesOfHex(signed.hash), batch.id, bytesOfHex(signed.rawTransaction), feesAsJson(fees)],
  });
}

const feesAsJson = (fees: Fees): string =>
  JSON.stringify(fees, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));

/** Puts stamps into a batch, in the order of its objects. */
export async function assignStamps(client: Client, batchId: string, stampIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'assign-stamps',
    text: `update stamps s set status = 'submitted', batch_id = $1, batch_index = n.place - 1
           from unnest($2::uuid[]) with ordinality as n (id, place) where s.id = n.id`,
    values: [batchId, stampIds],
  });
}

export async function assignCollections(client: Client, batchId: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await client.query({
    name: 'assign-collections',
    text: 'update collections set batch_id = $1 where id = any($2::bigint[]) and created_block is null',
    values: [batchId, ids],
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
};

/** The newest transaction of each of the lane's batches that is not in a block, in the order of nonces. */
export async function loadUnincluded(
  database: Pick<Database, 'query'>,
  lane: Hex,
  limit: number,
): Promise<UnincludedTransaction[]> {
  const { rows } = await database.query<{ batch_id: string; nonce: number; hash: Buffer; raw: Buffer }>({
    name: 'load-unincluded',
    text: `select distinct on (b.nonce) b.id as batch_id, b.nonce, t.hash, t.raw
           from batches b join transactions t on t.batch_id = b.id
           where b.lane = $1 and b.status = 'signed' order by b.nonce, t.stored_at desc limit $2`,
    values: [bytesOfHex(lane), limit],
  });
  return rows.map((row) => ({
    batchId: row.batch_id,
    nonce: row.nonce,
    hash: hexOfBytes(row.hash),
    raw: hexOfBytes(row.raw),
  }));
}
