import type { BlockPlace, Fees } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';
import { feesOfJson } from './batch-queries.ts';

export type UnincludedTransaction = {
  readonly batchId: string;
  readonly nonce: number;
  readonly hash: Hex;
  /** `0x` once dropped. */
  readonly raw: Hex;
  /** Changes when a reorg takes the batch out of a block. */
  readonly spell: string;
  /** Carries none of the batch's items. */
  readonly isEmpty: boolean;
  /** The batch's items are in other batches: only an empty transaction may use its nonce. */
  readonly isVoid: boolean;
  /** The block in which the nonce was seen used. */
  readonly nonceUsed: BlockPlace | null;
};

type Row = {
  batch_id: string;
  nonce: number;
  hash: Buffer;
  raw: Buffer | null;
  is_empty: boolean;
  is_void: boolean;
  taken_back_at: Date | null;
  nonce_used_block: number | null;
  nonce_used_hash: Buffer | null;
};

const rawOf = ({ raw }: { raw: Buffer | null }): Hex => (raw === null ? '0x' : hexOfBytes(raw));

/** The newest transaction of each of the lane's batches in no block, in nonce order. */
export async function loadUnincluded(
  database: Pick<Database, 'query'>,
  lane: Hex,
  fromNonce: number,
  limit: number,
): Promise<UnincludedTransaction[]> {
  const { rows } = await database.query<Row>({
    name: 'load-unincluded',
    text: `select b.id as batch_id, b.nonce, b.is_void, b.taken_back_at, b.nonce_used_block, b.nonce_used_hash,
             t.hash, t.raw, t.is_empty
           from batches b cross join lateral (
             select * from transactions where batch_id = b.id order by version desc limit 1) as t
           where b.lane = $1 and b.status = 'signed' and b.nonce >= $2 order by b.nonce limit $3`,
    values: [bytesOfHex(lane), fromNonce, limit],
  });
  return rows.map((row) => ({
    batchId: row.batch_id,
    nonce: row.nonce,
    hash: hexOfBytes(row.hash),
    raw: rawOf(row),
    spell: `${hexOfBytes(row.hash)} ${row.taken_back_at?.toISOString()}`,
    isEmpty: row.is_empty,
    isVoid: row.is_void,
    nonceUsed:
      row.nonce_used_block === null || row.nonce_used_hash === null
        ? null
        : { number: row.nonce_used_block, hash: hexOfBytes(row.nonce_used_hash) },
  }));
}

export type StoredVersion = { readonly hash: Hex; readonly isEmpty: boolean };

/** All transactions ever stored for a batch, newest first: any of them may be the one in a block. */
export async function loadVersions(database: Pick<Database, 'query'>, batchId: string): Promise<StoredVersion[]> {
  const { rows } = await database.query<{ hash: Buffer; is_empty: boolean }>({
    name: 'load-versions',
    text: 'select hash, is_empty from transactions where batch_id = $1 order by version desc',
    values: [batchId],
  });
  return rows.map((row) => ({ hash: hexOfBytes(row.hash), isEmpty: row.is_empty }));
}

export type NewestTransaction = {
  readonly raw: Hex;
  readonly fees: Fees;
  readonly version: number;
  readonly isEmpty: boolean;
  readonly nonce: number;
  readonly gasLimit: bigint;
};

type NewestRow = {
  raw: Buffer | null;
  fees: Record<string, string>;
  version: number;
  is_empty: boolean;
  nonce: number;
  gas_limit: number;
};

/** Locks a batch in no block, with its newest transaction. */
export async function lockNewest(client: Client, batchId: string): Promise<NewestTransaction | undefined> {
  const { rows } = await client.query<NewestRow>({
    name: 'lock-newest-transaction',
    text: `select t.raw, t.fees, t.version, t.is_empty, b.nonce, b.gas_limit from batches b join transactions t on t.batch_id = b.id
           where b.id = $1 and b.status = 'signed' order by t.version desc limit 1 for update of b`,
    values: [batchId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { version, nonce, is_empty: isEmpty } = row;
  const fees = feesOfJson(row.fees);
  return { raw: rawOf(row), fees, version, isEmpty, nonce, gasLimit: BigInt(row.gas_limit) };
}

/** The highest possible cost of the lane's transactions in no block, below a nonce if given. */
export async function loadCommitted(
  database: Pick<Database, 'query'> | Client,
  lane: Hex,
  belowNonce?: number,
): Promise<bigint> {
  const { rows } = await database.query<{ committed: string }>({
    name: 'load-committed',
    text: `select coalesce(sum(b.gas_limit * t.price), 0)::text as committed
           from batches b cross join lateral (
             select coalesce(fees->>'maxFeePerGas', fees->>'gasPrice')::numeric as price
             from transactions where batch_id = b.id order by version desc limit 1) as t
           where b.lane = $1 and b.status = 'signed' and b.nonce_used_block is null and b.nonce < coalesce($2::bigint, b.nonce + 1)`,
    values: [bytesOfHex(lane), belowNonce ?? null],
  });
  return BigInt(rows[0]?.committed ?? 0);
}

/** Records in which block a batch's nonce was seen used: once that is final, the batch is settled. */
export async function noteNonceUsed(
  database: Pick<Database, 'query'>,
  batchId: string,
  { number, hash }: BlockPlace,
): Promise<void> {
  await database.query({
    name: 'note-nonce-used',
    text: `update batches set nonce_used_block = $2, nonce_used_hash = $3 where id = $1 and status = 'signed'`,
    values: [batchId, number, bytesOfHex(hash)],
  });
}

/** The newest final block whose facts were read, and the newest block read; undefined before the first. */
export async function readFinality(
  database: Pick<Database, 'query'>,
  chainId: number,
): Promise<{ readonly finalized: number; readonly read: BlockPlace } | undefined> {
  const { rows } = await database.query<{ finalized: number; number: number; hash: Buffer }>({
    name: 'read-finality',
    text: 'select least(finalized, number) as finalized, number, hash from chain_cursor where chain_id = $1',
    values: [chainId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return { finalized: row.finalized, read: { number: row.number, hash: hexOfBytes(row.hash) } };
}
