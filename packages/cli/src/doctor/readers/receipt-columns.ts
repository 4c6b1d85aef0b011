import { hex } from './survey-table.ts';

/** The receipt of a stamp in `t`, as JSON; null while it is in no block. @param chainId of the parameters, as `$1` */
export const receiptOfStamp = (
  chainId: string,
): string => `case when t.block_hash is null then null else json_build_object(
  'transactionHash', ${hex('t.transaction_hash')}, 'logIndex', t.log_index, 'blockNumber', t.block_number,
  'blockHash', ${hex('t.block_hash')}, 'blockTime', t.block_time, 'chainId', ${chainId}::bigint,
  'account', ${hex('t.account')}, 'setCid', ${hex('t.set_cid')}, 'objectCid', ${hex('t.object_cid')}) end`;
