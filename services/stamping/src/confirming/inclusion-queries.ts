import { bytesOfHex, type Hex, hexOfBytes, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, ChainLog, Receipt, StagedContent } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { matchLogs } from '../decisions/match-logs.ts';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';
import type { Since } from './chain-outcome.ts';

export type IncludedBatch = {
  readonly traceparent: string;
  /** In ms since 1970. */
  readonly signedAt: number;
  readonly transactionHash: Hex;
};

export type ConfirmedStamp = {
  readonly stampId: string;
  readonly version: number;
  readonly receipt: Receipt;
  readonly collectionName: string | null;
  /** The block that recorded the stamp's collection, as far as is known. */
  readonly collectionBlock: number | null;
  readonly content: StagedContent | null;
  readonly replyTo: string | null;
  readonly requestId: string | null;
  /** W3C trace context of its decision. */
  readonly traceparent: string | null;
  readonly clientRef: string | null;
  readonly batchId: string;
  /** In seconds since 1970. */
  readonly requestedAt: number;
};

type ConfirmedRow = ReceiptRow & {
  id: string;
  version: number;
  collection_name: string | null;
  collection_block: number | null;
  content: StagedContent | null;
  reply_to: string | null;
  request_id: string | null;
  traceparent: string | null;
  client_ref: string | null;
  batch_id: string;
  collection_id: number | null;
  requested_at: number;
};

/** A stamp of a batch that is in a block, in the batch's order. */
type ItemRow = Omit<ConfirmedRow, keyof ReceiptRow> & {
  hash: Buffer;
  place: number;
  since_signed: number;
  account: Buffer;
  set_cid: Buffer;
  object_cid: Buffer;
};

const toldColumns = `s.id, s.version, s.content, s.reply_to, s.request_id, s.traceparent, s.client_ref, s.collection_id,
  extract(epoch from s.requested_at)::float8 as requested_at, c.name as collection_name, c.created_block as collection_block`;
const withCollection =
  'left join lateral (select name, created_block from collections where id = s.collection_id limit 1) as c on true';

export type Included = {
  /** How many stamps the block has. */
  readonly matched: number;
  readonly confirmed: readonly ConfirmedStamp[];
  /** Since the batches of its stamps were signed. */
  readonly since: readonly Since[];
  /** Collections of these stamps whose AddSet was not seen: their sets stood on the chain, or the contract had refused them. */
  readonly standing: readonly { readonly collectionId: number; readonly transactionHash: Hex }[];
};

const nothingIncluded: Included = { matched: 0, confirmed: [], since: [], standing: [] };

/**
 * Notes which stamps the block's logs are: a log belongs to the stamp of the same user, set and object in the batch of
 * its transaction, one to one, in order. With depth 1 they are confirmed by that.
 *
 * They are matched here, not by a join: of a batch's array Postgres knows no length, and can choose to compare each log
 * with each stamp. The limits of one keep it from reading all stamps or all collections to join some.
 */
export async function includeStamps(client: Client, block: BlockAppended, confirmed: boolean): Promise<Included> {
  const logs = block.logs
    .filter((log) => log.kind === 'object')
    .map((log) => ({
      transactionHash: log.transactionHash,
      logIndex: log.logIndex,
      account: log.user,
      setCid: log.setCid ?? zeroCid,
      objectCid: objectCidOf(log),
    }));
  if (logs.length === 0) return nothingIncluded;
  const { rows: items } = await client.query<ItemRow>({
    name: 'items-of-block',
    text: `
      select t.hash, b.id as batch_id, item.place::int as place,
        greatest(extract(epoch from statement_timestamp() - b.signed_at), 0)::float8 as since_signed, s.account, s.set_cid, s.object_cid, ${toldColumns}
      from transactions t
        cross join lateral (select * from batches where id = t.batch_id and status = 'included' limit 1) as b
        cross join unnest(b.stamp_ids) with ordinality as item (stamp_id, place)
        cross join lateral (select * from stamps where id = item.stamp_id and status = 'requested' limit 1) as s
        ${withCollection}
      where t.hash = any($1::bytea[])
      order by b.id, item.place`,
    values: [arrayOf.bytea([...new Set(logs.map((log) => log.transactionHash))])],
  });
  const pairs = matchLogs(
    logs,
    items.map((row) => ({
      row,
      transactionHash: hexOfBytes(row.hash),
      account: hexOfBytes(row.account),
      setCid: hexOfBytes(row.set_cid),
      objectCid: hexOfBytes(row.object_cid),
    })),
  );
  if (pairs.length === 0) return nothingIncluded;
  const { rows: noted } = await client.query<{ id: string }>({
    name: 'include-stamps',
    text: `
      update stamps s set status = $5, version = s.version + $6, batch_id = l.batch_id, batch_index = l.place - 1,
        transaction_hash = l.hash, log_index = l.log_index, block_number = $7, block_hash = $8, block_time = $9
      from (
        -- Taken for a thousand, where arrays are for ten: then the two are joined by a hash.
        select ($1::uuid[])[n] as id, ($2::uuid[])[n] as batch_id, ($3::int[])[n] as place, ($4::int[])[n] as log_index,
          ($10::bytea[])[n] as hash
        from generate_series(1, cardinality($1::uuid[])) as n) as l
      where s.id = l.id and s.id = any($1::uuid[]) and s.status = 'requested'
      returning s.id`,
    values: [
      arrayOf.uuid(pairs.map(({ item }) => item.row.id)),
      arrayOf.uuid(pairs.map(({ item }) => item.row.batch_id)),
      arrayOf.int(pairs.map(({ item }) => item.row.place)),
      arrayOf.int(pairs.map(({ log }) => log.logIndex)),
      confirmed ? 'confirmed' : 'included',
      confirmed ? 1 : 0,
      block.number,
      bytesOfHex(block.hash),
      block.time,
      arrayOf.bytea(pairs.map(({ log }) => log.transactionHash)),
    ],
  });
  const standing = new Map<number, { collectionId: number; transactionHash: Hex }>();
  for (const { log, item } of pairs) {
    const { collection_id: collectionId, collection_block: block } = item.row;
    if (collectionId !== null && block === null)
      standing.set(collectionId, { collectionId, transactionHash: log.transactionHash });
  }
  const since = sinceSigned(pairs.map(({ item }) => item.row));
  const included = { matched: noted.length, since, standing: [...standing.values()] };
  if (!confirmed) return { ...included, confirmed: [] };
  const notedIds = new Set(noted.map(({ id }) => id));
  return {
    ...included,
    confirmed: pairs
      .filter(({ item }) => notedIds.has(item.row.id))
      .map(({ log, item }) => ({
        ...toldOf(item.row),
        version: item.row.version + 1,
        receipt: {
          transactionHash: log.transactionHash,
          logIndex: log.logIndex,
          blockNumber: block.number,
          blockHash: block.hash,
          blockTime: block.time,
          chainId: block.chainId,
          account: log.account,
          setCid: log.setCid,
          objectCid: log.objectCid,
        },
      })),
  };
}

/** One figure a batch. */
function sinceSigned(rows: readonly ItemRow[]): readonly Since[] {
  const byBatch = new Map<string, { seconds: number; stamps: number }>();
  for (const { batch_id: batch, since_signed: seconds } of rows) {
    const known = byBatch.get(batch);
    if (known === undefined) byBatch.set(batch, { seconds, stamps: 1 });
    else known.stamps++;
  }
  return [...byBatch.values()];
}

function objectCidOf(log: ChainLog): Hex {
  if (log.objectCid === undefined) throw new Error(`log ${log.logIndex} of ${log.transactionHash} names no object`);
  return log.objectCid;
}

/**
 * Confirms the stamps whose block is now deep enough (I1), the earliest first, at most `limit` of them: of an identity's stamps
 * in blocks the later ones are the last to be confirmed.
 */
export async function confirmStamps(
  client: Client,
  chainId: number,
  upToBlock: number,
  limit: number,
): Promise<readonly ConfirmedStamp[]> {
  const { rows } = await client.query<ConfirmedRow>({
    name: 'confirm-stamps',
    text: `with confirmed as (
             update stamps s set status = 'confirmed', version = s.version + 1
             where s.id = any(array(
               select id from stamps where status = 'included' and block_number <= $1
               order by block_number, log_index limit $2)) and s.status = 'included'
             returning s.id, s.version, s.content, s.reply_to, s.request_id, s.traceparent, s.client_ref, s.batch_id,
               s.collection_id, s.requested_at, ${receiptColumns('s')})
           select ${toldColumns}, s.batch_id, ${receiptColumns('s')}
           from confirmed s ${withCollection}`,
    values: [upToBlock, limit],
  });
  return rows.map((row) => ({ ...toldOf(row), receipt: receiptOf(row, chainId) }));
}

function toldOf(row: Omit<ConfirmedRow, keyof ReceiptRow>): Omit<ConfirmedStamp, 'receipt'> {
  return {
    stampId: row.id,
    version: row.version,
    collectionName: row.collection_name,
    collectionBlock: row.collection_block,
    content: row.content,
    replyTo: row.reply_to,
    requestId: row.request_id,
    traceparent: row.traceparent,
    clientRef: row.client_ref,
    batchId: row.batch_id,
    requestedAt: row.requested_at,
  };
}

/** Notes which batches are in the block; answers how many of the logs' transactions are ours, their object logs, and which are traced. */
export async function includeBatches(
  client: Client,
  block: BlockAppended,
): Promise<{ readonly batches: number; readonly objectLogs: number; readonly traced: readonly IncludedBatch[] }> {
  if (block.logs.length === 0) return { batches: 0, objectLogs: 0, traced: [] };
  const { rows } = await client.query<{ hash: Buffer; traceparent: string | null; signed_at: Date }>({
    name: 'include-batches',
    text: `with ours as (select hash, batch_id from transactions where hash = any($1::bytea[])),
           included as (
             update batches set status = 'included', block_number = $2, block_hash = $3
             where id = any(array(select batch_id from ours)) and status in ('signed', 'included'))
           -- As before the update: a block may come in several parts.
           select hash, traced.traceparent, traced.signed_at from ours left join lateral (
             select traceparent, signed_at from batches
             where id = ours.batch_id and status = 'signed' and traceparent is not null limit 1) as traced on true`,
    values: [
      arrayOf.bytea([...new Set(block.logs.map((log) => log.transactionHash))]),
      block.number,
      bytesOfHex(block.hash),
    ],
  });
  const ours = new Set(rows.map((row) => hexOfBytes(row.hash)));
  const objectLogs = block.logs.filter((log) => log.kind === 'object' && ours.has(log.transactionHash)).length;
  const traced = rows.flatMap(({ hash, traceparent, signed_at: signedAt }) =>
    traceparent === null ? [] : [{ traceparent, signedAt: signedAt.getTime(), transactionHash: hexOfBytes(hash) }],
  );
  return { batches: rows.length, objectLogs, traced };
}

/** How many of the block's logs are of stamps, those of earlier included: after a restore a block may be read that confirmed them before. */
export async function countIncluded(client: Client, block: BlockAppended): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from transactions t
     cross join lateral (select stamp_ids from batches where id = t.batch_id limit 1) as b
     join stamps s on s.id = any(b.stamp_ids) and s.block_hash = $2 and s.log_index = any($3::int[])
     where t.hash = any($1::bytea[])`,
    [
      arrayOf.bytea([...new Set(block.logs.map((log) => log.transactionHash))]),
      bytesOfHex(block.hash),
      arrayOf.int(block.logs.map((log) => log.logIndex)),
    ],
  );
  return rows[0]?.count ?? 0;
}
