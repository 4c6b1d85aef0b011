import type { Hex } from '@indelible/identifiers';

/** A receipt as events and read models carry it. */
export type ReceiptFields = {
  readonly transactionHash: Hex;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly blockTime: number;
  readonly chainId: number;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
};

const fields = [
  'transactionHash',
  'logIndex',
  'blockNumber',
  'blockHash',
  'blockTime',
  'chainId',
  'account',
  'setCid',
  'objectCid',
] as const satisfies readonly (keyof ReceiptFields)[];

/** The fields in which two receipts differ; all of them when there is but one. */
export const receiptDifference = (
  one: ReceiptFields | null | undefined,
  other: ReceiptFields | null | undefined,
): readonly string[] => (one == null && other == null ? [] : fields.filter((field) => one?.[field] !== other?.[field]));
