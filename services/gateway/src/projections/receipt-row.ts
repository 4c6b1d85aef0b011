import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';

/** The columns that only a receipt fills: together, or none of them. */
export const receiptColumns = ['chain_id', 'block_number', 'log_index', 'block_time', 'block_hash', 'transaction_hash'];

/** The columns of a stamp that its receipt is read from, by their names here. @param of the table's alias */
export const receiptRowColumns = (of: string): string =>
  `${of}.on_chain as "onChain", ${of}.account, ${of}.object_cid as "objectCid", ${of}.set_cid as "setCid",
   ${receiptColumns.map((column) => `${of}.${column}`).join(', ')}`;

/** `onChain` is null while no receipt was told, and false when a reorg took it. */
export type ReceiptRow = {
  readonly onChain: boolean | null;
  readonly account: Hex;
  readonly objectCid: Hex;
  readonly setCid: Hex;
  readonly chain_id: number;
  readonly block_number: number;
  readonly log_index: number;
  readonly block_time: number;
  readonly block_hash: Buffer;
  readonly transaction_hash: Buffer;
};

export const receiptOf = (row: ReceiptRow): Receipt | null =>
  row.onChain === true
    ? {
        transactionHash: hexOfBytes(row.transaction_hash),
        logIndex: row.log_index,
        blockNumber: row.block_number,
        blockHash: hexOfBytes(row.block_hash),
        blockTime: row.block_time,
        chainId: row.chain_id,
        account: row.account,
        setCid: row.setCid,
        objectCid: row.objectCid,
      }
    : null;
