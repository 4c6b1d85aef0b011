import type { Hex } from '@indelible/identifiers';
import { maxUploadReceipts, type Receipt, type StampOfReceipt } from '@indelible/messages';
import type { FileStatus } from './follow-stamp.ts';

/** A commitment known to storage: from a stamp's messages, or recreated when content was uploaded for it. */
export type CommitmentRecord = {
  readonly stampId: string;
  readonly recreated: boolean;
  readonly chainId: number;
  readonly blockNumber: number;
  /** Null in rows from before it was stored. */
  readonly transactionHash: Hex | null;
  readonly logIndex: number;
  readonly file: FileStatus | null;
};

/** A copy to make: for a stamp, with or without a record, or for a commitment that is no stamp. */
export type Copy = {
  readonly receipt: Receipt;
  readonly stamp: StampOfReceipt | null;
  readonly record: CommitmentRecord | null;
};

/** A commitment on the canonical chain, and its stamp: null without one, undefined when only records show it. */
export type Commitment = { readonly receipt: Receipt; readonly stamp: StampOfReceipt | null | undefined };

export type Placement =
  /** The earliest commitment with a file stored or pending. */
  | {
      readonly kind: 'existing';
      readonly receipt: Receipt;
      readonly stampId: string;
      /**
       * The stamp whose commitment's file is in a recreated record: it must get the file, and its record this position.
       */
      readonly owner: StampOfReceipt | null;
    }
  /** One copy per commitment, earliest first. */
  | { readonly kind: 'created'; readonly copies: readonly Copy[] };

/**
 * Where uploaded content goes (docs/interface.md, Stored files): to every commitment, unless one already has a file.
 * @param records known ones of the same account, set and object, whether or not on the canonical chain
 */
export function placeUpload(commitments: readonly Commitment[], records: readonly CommitmentRecord[]): Placement {
  const copies = matchRecords(
    commitments.toSorted((a, b) => byTime(a.receipt, b.receipt)),
    records,
  );
  for (const { receipt, stamp, known } of copies) {
    const holder = known.find(({ file }) => file === 'success') ?? known.find(({ file }) => file === 'pending');
    if (holder === undefined) continue;
    const owner = holder.recreated ? (stamp ?? null) : null;
    return { kind: 'existing', receipt, stampId: holder.stampId, owner };
  }
  return {
    kind: 'created',
    copies: copies.map(({ receipt, stamp = null, known }) => {
      const own = known.find(({ recreated }) => !recreated);
      return { receipt, stamp, record: own ?? (stamp === null ? known[0] : undefined) ?? null };
    }),
  };
}

/**
 * Whether each commitment has its stamp's record, at its position, and no other: a recreated record's file must become
 * the stamp's.
 */
export const haveRecords = (receipts: readonly Receipt[], records: readonly CommitmentRecord[]): boolean =>
  receipts.every((receipt) => {
    const known = records.filter((record) => isAt(receipt, record));
    return known.length > 0 && known.every(({ recreated }) => !recreated);
  });

type Matched = Commitment & { readonly known: CommitmentRecord[] };

/**
 * A record belongs to its stamp, wherever a reorg moved that. If the stamp is unknown, or the record is recreated, it
 * matches the receipt with the same transaction and log; where the transaction's logs are numbered differently in
 * another block, by their order; and a record whose position left the chain gives its file to a commitment without a
 * record. Of very many commitments only the earliest are in the command: the file of a later one counts as the
 * earliest's.
 */
function matchRecords(commitments: readonly Commitment[], records: readonly CommitmentRecord[]): readonly Matched[] {
  const matched: readonly Matched[] = commitments.map((commitment) => ({ ...commitment, known: [] }));
  const assign = (
    rest: readonly CommitmentRecord[],
    belongs: (receipt: Receipt, record: CommitmentRecord) => boolean,
    onlyFree: boolean,
  ): CommitmentRecord[] =>
    rest.filter((record) => {
      const place = matched.find(
        ({ receipt, stamp, known }) =>
          !(onlyFree && known.length > 0) && (stamp == null || record.recreated) && belongs(receipt, record),
      );
      place?.known.push(record);
      return place === undefined;
    });
  const inOrder = records.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const others = inOrder.filter((record) => {
    const own = matched.find(({ stamp }) => stamp?.stampId === record.stampId);
    own?.known.push(record);
    return own === undefined;
  });
  const moved = assign(others, isAt, false);
  const gone = assign(moved, sameTransaction, true).filter(({ file }) => file === 'success' || file === 'pending');
  if (commitments.length >= maxUploadReceipts) matched[0]?.known.push(...gone);
  else assign(gone, () => true, true);
  return matched;
}

const sameTransaction = (receipt: Receipt, record: CommitmentRecord): boolean =>
  receipt.chainId === record.chainId &&
  (record.transactionHash === null
    ? receipt.blockNumber === record.blockNumber
    : receipt.transactionHash === record.transactionHash);

const isAt = (receipt: Receipt, record: CommitmentRecord): boolean =>
  sameTransaction(receipt, record) && receipt.logIndex === record.logIndex;

const byTime = (a: Receipt, b: Receipt): number =>
  a.blockTime - b.blockTime || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;
