import type { Hex } from '@indelible/identifiers';
import type { Receipt, Refusal } from './fields.ts';

/** How far a stamp has come, as its owner sees it. */
export type StampStatus = 'accepted' | 'submitted' | 'confirmed' | 'finalized' | 'failed';

/** What stamping answers of a stamp, or of a request that was refused. */
export type StampFacts = {
  readonly id: string;
  readonly account: Hex;
  readonly objectCid: Hex;
  readonly setCid: Hex;
  /** ISO 8601. */
  readonly requestedAt: string;
  readonly status: StampStatus;
  /** Only while it is confirmed. */
  readonly receipt: Receipt | null;
  /** Only of what failed, or was refused. */
  readonly refusal: Refusal | null;
  /** It came with content to store. */
  readonly hasContent: boolean;
  /** It is confirmed, or was before a reorg: it may have a file. */
  readonly wasConfirmed: boolean;
};

/** What stamping answers of the stamp of a commitment. */
export type StampOfReceipt = {
  readonly stampId: string;
  /** Whether stamping has read a block with its commitment. */
  readonly isRecorded: boolean;
  readonly collectionName: string | null;
  readonly requestId: string | null;
  readonly clientRef: string | null;
};

/**
 * `not-recorded`: the transaction is of stamping's, and none of the stamps that it is recorded with is the receipt's, by now. Null of a
 * commitment that is no stamp's.
 */
export type FoundStamp = StampOfReceipt | 'not-recorded' | null;

/** What stamping answers of a confirmed stamp that has no content of its own: what StampConfirmed says of it. */
export type ConfirmationOfStamp = Omit<StampOfReceipt, 'isRecorded'> & { readonly receipt: Receipt };

/** What storage answers of the file of a stamp. */
export type StampFile = {
  readonly stampId: string;
  /** `failed` is known of confirmed stamps alone. */
  readonly status: 'pending' | 'success' | 'failed';
  /** Which way its content came; null of a row written before it was kept. */
  readonly came: 'with-stamp' | 'later' | null;
  /** Its name and path, once it is stored. */
  readonly fileName: string | null;
  readonly filePath: string | null;
  /** Why it never will be stored; for its owner. */
  readonly fault: string | null;
};

/** What storage answers of an upload. */
export type UploadOutcome =
  | { readonly state: 'pending' }
  | {
      readonly state: 'stored';
      readonly outcome: 'created' | 'existing';
      /** The earliest commitment that has a file, and that file. */
      readonly receipt: Receipt;
      readonly fileName: string;
      readonly filePath: string;
      /** The stamp that the file is of. Absent while the stamp of that commitment is not known to storage. */
      readonly stampId?: string;
    }
  /** Its content can never be stored; it may be brought again. */
  | { readonly state: 'failed' };
