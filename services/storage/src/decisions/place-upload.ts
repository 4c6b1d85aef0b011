import type { Hex } from '@indelible/identifiers';
import { maxUploadReceipts, type Receipt } from '@indelible/messages';
import type { FileStatus } from './follow-stamp.ts';

/** A commitment as storage knows it: by a stamp's messages, or recreated when content was uploaded for it. */
export type CommitmentRecord = {
  readonly stampId: string;
  readonly recreated: boolean;
  readonly chainId: number;
  readonly blockNumber: number;
  /** Null of a row written before it was kept. */
  readonly transactionHash: Hex | null;
  readonly logIndex: number;
  readonly file: FileStatus | null;
};

/** A copy to be made; a null id stands for a commitment without a record, or one whose record tells another place. */
export type Copy = { readonly receipt: Receipt; readonly record: CommitmentRecord | null };

export type Placement =
  /** The earliest commitment that has a file, or is just getting one. */
  | { readonly kind: 'existing'; readonly receipt: Receipt; readonly stampId: string }
  /** A copy for each commitment, the earliest first. */
  | { readonly kind: 'created'; readonly copies: readonly Copy[] };

/**
 * Where uploaded content goes (specification, upload, 6 and 7): to each of the commitments, unless any has a file.
 * @param receipts the commitments on the canonical chain
 * @param records those known of the same account, set and object, whether or not they stand there
 */
export function placeUpload(receipts: readonly Receipt[], records: readonly CommitmentRecord[]): Placement {
  const copies = matchRecords(receipts.toSorted(byTime), records);
  for (const { receipt, known } of copies) {
    const holder = known.find(({ file }) => file === 'success') ?? known.find(({ file }) => file === 'pending');
    if (holder !== undefined) return { kind: 'existing', receipt, stampId: holder.stampId };
  }
  return {
    kind: 'created',
    copies: copies.map(({ receipt, known }) => ({
      receipt,
      record: known.find(({ recreated }) => !recreated) ?? known[0] ?? null,
    })),
  };
}

type Matched = { readonly receipt: Receipt; readonly known: CommitmentRecord[] };

/**
 * A record is its receipt's when transaction and log agree. A reorg may have moved the transaction to a block where
 * its logs count differently: then their order tells. And it may have brought a stamp into another transaction, of
 * which storage has not heard yet: a record whose place is gone lends its file to a commitment without a record.
 * Of very many commitments only the earliest are told of: then the file of a later one counts as the earliest's.
 */
function matchRecords(receipts: readonly Receipt[], records: readonly CommitmentRecord[]): readonly Matched[] {
  const matched: readonly Matched[] = receipts.map((receipt) => ({ receipt, known: [] }));
  const assign = (
    rest: readonly CommitmentRecord[],
    belongs: (receipt: Receipt, record: CommitmentRecord) => boolean,
    onlyFree: boolean,
  ): CommitmentRecord[] =>
    rest.filter((record) => {
      const place = matched.find(({ receipt, known }) => !(onlyFree && known.length > 0) && belongs(receipt, record));
      place?.known.push(record);
      return place === undefined;
    });
  const inOrder = records.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const moved = assign(
    inOrder,
    (one, record) => sameTransaction(one, record) && one.logIndex === record.logIndex,
    false,
  );
  const gone = assign(moved, sameTransaction, true);
  assign(
    gone.filter(({ file }) => file === 'success' || file === 'pending'),
    () => true,
    receipts.length < maxUploadReceipts,
  );
  return matched;
}

const sameTransaction = (receipt: Receipt, record: CommitmentRecord): boolean =>
  receipt.chainId === record.chainId &&
  (record.transactionHash === null
    ? receipt.blockNumber === record.blockNumber
    : receipt.transactionHash === record.transactionHash);

const byTime = (a: Receipt, b: Receipt): number =>
  a.blockTime - b.blockTime || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
