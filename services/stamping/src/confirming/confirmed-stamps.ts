import type { Receipt, StagedContent } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
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
  /** W3C trace context of its decision. */
  readonly traceparent: string | null;
  readonly clientRef: string | null;
  readonly batchId: string;
  /** In seconds since 1970. */
  readonly requestedAt: number;
};

/** As Postgres has what is said of a stamp that is confirmed. */
export type ConfirmedRow = ReceiptRow & {
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

export const toldColumns = `s.id, s.version, s.content, s.reply_to, s.request_id, s.traceparent, s.client_ref, s.collection_id,
  extract(epoch from s.requested_at)::float8 as requested_at, c.name as collection_name, c.created_block as collection_block`;
export const withCollection =
  'left join lateral (select name, created_block from collections where id = s.collection_id limit 1) as c on true';

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

export function toldOf(row: Omit<ConfirmedRow, keyof ReceiptRow>): Omit<ConfirmedStamp, 'receipt'> {
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
