import type { StagedContent } from '@indelible/messages';
import type { Client } from '@indelible/postgres';
import { withCollection } from '../collection-of-stamp.ts';
import type { ConfirmedStamp } from '../decisions/report-confirmed.ts';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';

/** The columns, besides its receipt, for reporting a stamp's confirmation. */
export type ReportedRow = {
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

export const reportedColumns = `s.id, s.version, s.content, s.reply_to, s.request_id, s.traceparent, s.client_ref, s.collection_id,
  extract(epoch from s.requested_at)::float8 as requested_at, c.name as collection_name, c.created_block as collection_block`;

/**
 * Confirms stamps whose block is now deep enough (I1), earliest first, at most `limit`: of an identity's stamps in
 * blocks, the later ones are confirmed last. One statement finds and marks them.
 */
export async function confirmStamps(
  client: Client,
  chainId: number,
  upToBlock: number,
  limit: number,
): Promise<readonly ConfirmedStamp[]> {
  const { rows } = await client.query<ReportedRow & ReceiptRow>({
    name: 'confirm-stamps',
    text: `with confirmed as (
             update stamps s set status = 'confirmed', version = s.version + 1
             where s.id = any(array(
               select id from stamps where status = 'included' and block_number <= $1
               order by block_number, log_index limit $2)) and s.status = 'included'
             returning s.id, s.version, s.content, s.reply_to, s.request_id, s.traceparent, s.client_ref, s.batch_id,
               s.collection_id, s.requested_at, ${receiptColumns('s')})
           select ${reportedColumns}, s.batch_id, ${receiptColumns('s')}
           from confirmed s ${withCollection}`,
    values: [upToBlock, limit],
  });
  return rows.map((row) => ({ ...reportedOf(row), receipt: receiptOf(row, chainId) }));
}

export function reportedOf(row: ReportedRow): Omit<ConfirmedStamp, 'receipt'> {
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
