import { bytesOfHex, type Hex, hexOfBytes, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, ChainLog, Receipt, StagedContent } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';

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
};

type ConfirmedRow = ReceiptRow & {
  id: string;
  version: number;
  collection_name: string | null;
  collection_block: number | null;
  content: StagedContent | null;
  reply_to: string | null;
  request_id: string | null;
};

const returned = `s.id, s.version, ${receiptColumns('s')}, s.content, s.reply_to, s.request_id,
  (select name from collections where id = s.collection_id) as collection_name,
  (select created_block from collections where id = s.collection_id) as collection_block`;

/**
 * Notes which stamps the block's logs are: a log belongs to the stamp of the same user, set and object in the batch of
 * its transaction, one to one, in order. With depth 1 they are confirmed by that.
 * @returns how many stamps were matched, and those confirmed
 */
export async function includeStamps(
  client: Client,
  block: BlockAppended,
  confirmed: boolean,
): Promise<{ readonly matched: number; readonly confirmed: readonly ConfirmedStamp[] }> {
  const logs = block.logs.filter((log) => log.kind === 'object');
  if (logs.length === 0) return { matched: 0, confirmed: [] };
  const { rows } = await client.query<ConfirmedRow>({
    name: 'include-stamps',
    text: `
      with log as (
        select *, row_number() over (partition by hash, account, set_cid, object_cid order by log_index) as nth
        from unnest($1::bytea[], $2::int[], $3::bytea[], $4::bytea[], $5::bytea[])
          as l (hash, log_index, account, set_cid, object_cid)
      ), ours as (
        select t.hash, t.batch_id from transactions t where t.hash in (select distinct hash from log)
      ), waiting as (
        select s.id, o.hash, s.account, s.set_cid, s.object_cid,
          row_number() over (partition by o.hash, s.account, s.set_cid, s.object_cid order by s.batch_index) as nth
        from ours o join stamps s on s.batch_id = o.batch_id and s.status = 'submitted'
      )
      update stamps s set status = $6, version = s.version + $7, transaction_hash = l.hash, log_index = l.log_index,
        block_number = $8, block_hash = $9, block_time = $10
      from waiting w join log l using (hash, account, set_cid, object_cid, nth)
      where s.id = w.id
      returning ${returned}`,
    values: [
      arrayOf.bytea(logs.map((log) => log.transactionHash)),
      arrayOf.int(logs.map((log) => log.logIndex)),
      arrayOf.bytea(logs.map((log) => log.user)),
      arrayOf.bytea(logs.map((log) => log.setCid ?? zeroCid)),
      arrayOf.bytea(logs.map((log) => objectCidOf(log))),
      confirmed ? 'confirmed' : 'included',
      confirmed ? 1 : 0,
      block.number,
      bytesOfHex(block.hash),
      block.time,
    ],
  });
  return { matched: rows.length, confirmed: confirmed ? rows.map((row) => confirmedStamp(row, block.chainId)) : [] };
}

function objectCidOf(log: ChainLog): Hex {
  if (log.objectCid === undefined) throw new Error(`log ${log.logIndex} of ${log.transactionHash} names no object`);
  return log.objectCid;
}

/** Confirms the stamps whose block is now deep enough (I1). */
export async function confirmStamps(
  client: Client,
  chainId: number,
  upToBlock: number,
): Promise<readonly ConfirmedStamp[]> {
  const { rows } = await client.query<ConfirmedRow>({
    name: 'confirm-stamps',
    text: `update stamps s set status = 'confirmed', version = s.version + 1
           where s.status = 'included' and s.block_number <= $1 returning ${returned}`,
    values: [upToBlock],
  });
  return rows.map((row) => confirmedStamp(row, chainId));
}

function confirmedStamp(row: ConfirmedRow, chainId: number): ConfirmedStamp {
  return {
    stampId: row.id,
    version: row.version,
    receipt: receiptOf(row, chainId),
    collectionName: row.collection_name,
    collectionBlock: row.collection_block,
    content: row.content,
    replyTo: row.reply_to,
    requestId: row.request_id,
  };
}

/** Notes which batches are in the block; answers how many of the logs' transactions are ours, and their object logs. */
export async function includeBatches(
  client: Client,
  block: BlockAppended,
): Promise<{ readonly batches: number; readonly objectLogs: number }> {
  if (block.logs.length === 0) return { batches: 0, objectLogs: 0 };
  const { rows } = await client.query<{ hash: Buffer; was_signed: boolean }>({
    name: 'include-batches',
    text: `with ours as (select hash, batch_id from transactions where hash = any($1::bytea[])),
           included as (
             update batches set status = 'included', block_number = $2, block_hash = $3
             where id in (select batch_id from ours) and status in ('signed', 'included') returning id)
           select hash, batch_id in (select id from included) as was_signed from ours`,
    values: [
      arrayOf.bytea([...new Set(block.logs.map((log) => log.transactionHash))]),
      block.number,
      bytesOfHex(block.hash),
    ],
  });
  const ours = new Set(rows.map((row) => hexOfBytes(row.hash)));
  const objectLogs = block.logs.filter((log) => log.kind === 'object' && ours.has(log.transactionHash)).length;
  return { batches: rows.length, objectLogs };
}
