import { hexOfBytes } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';

/** The columns of a stamp's receipt; all chain facts are set once it is in a block. */
export type ReceiptRow = {
  account: Buffer;
  set_cid: Buffer;
  object_cid: Buffer;
  transaction_hash: Buffer | null;
  log_index: number | null;
  block_number: number | null;
  block_hash: Buffer | null;
  block_time: number | null;
};

/** These columns, as a query's list. */
export const receiptColumns = (table: string): string =>
  ['account', 'set_cid', 'object_cid', 'transaction_hash', 'log_index', 'block_number', 'block_hash', 'block_time']
    .map((column) => `${table}.${column}`)
    .join(', ');

/** @throws Error when the stamp is in no block: a receipt must never lack its facts (I1) */
export function receiptOf(row: ReceiptRow, chainId: number): Receipt {
  if (
    row.transaction_hash === null ||
    row.block_hash === null ||
    row.log_index === null ||
    row.block_number === null ||
    row.block_time === null
  )
    throw new Error('a stamp in no block has no receipt');
  return {
    transactionHash: hexOfBytes(row.transaction_hash),
    logIndex: row.log_index,
    blockNumber: row.block_number,
    blockHash: hexOfBytes(row.block_hash),
    blockTime: row.block_time,
    chainId,
    account: hexOfBytes(row.account),
    setCid: hexOfBytes(row.set_cid),
    objectCid: hexOfBytes(row.object_cid),
  };
}
