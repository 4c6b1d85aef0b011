import type { ConfirmationOfStamp } from '@indelible/messages';
import { arrayOf, type Database } from '@indelible/postgres';
import { type ReceiptRow, receiptColumns, receiptOf } from '../receipt-row.ts';

type Row = ReceiptRow & Omit<ConfirmationOfStamp, 'receipt'>;

/** The confirmations of stamps without content of their own; storage gets events of the others. */
export async function findConfirmations(
  database: Pick<Database, 'query'>,
  chainId: number,
  stampIds: readonly string[],
): Promise<readonly ConfirmationOfStamp[]> {
  const { rows } = await database.query<Row>({
    name: 'confirmations-of-stamps',
    text: `select s.id as "stampId", (select name from collections where id = s.collection_id limit 1) as "collectionName",
             s.request_id as "requestId", s.client_ref as "clientRef", ${receiptColumns('s')}
           from stamps s where s.id = any($1::uuid[]) and s.status = 'confirmed' and s.content is null`,
    values: [arrayOf.uuid(stampIds)],
  });
  return rows.map((row) => {
    const { stampId, collectionName, requestId, clientRef } = row;
    return { stampId, receipt: receiptOf(row, chainId), collectionName, requestId, clientRef };
  });
}
