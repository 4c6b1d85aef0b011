import type { Hex } from '@indelible/identifiers';
import type { Receipt, Refusal } from './fields.ts';

/** A stamp's status, as its owner sees it. */
export type StampStatus = 'accepted' | 'submitted' | 'confirmed' | 'finalized' | 'failed';

/** Stamping's response about a stamp, or a refused request. */
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
  /** Only if it failed or was refused. */
  readonly refusal: Refusal | null;
  /** It came with content to store. */
  readonly hasContent: boolean;
  /** Confirmed now, or before a reorg: it may have a file. */
  readonly wasConfirmed: boolean;
};

/** Stamping's response about a commitment's stamp. */
export type StampOfReceipt = {
  readonly stampId: string;
  /** Whether stamping has read a block with its commitment. */
  readonly isRecorded: boolean;
  readonly collectionName: string | null;
  readonly requestId: string | null;
  readonly clientRef: string | null;
};

/**
 * `not-recorded`: the transaction is stamping's, but none of its recorded stamps is the receipt's yet. Null for a
 * commitment without a stamp.
 */
export type FoundStamp = StampOfReceipt | 'not-recorded' | null;

/** Stamping's response about a confirmed stamp without content: the data of its StampConfirmed. */
export type ConfirmationOfStamp = Omit<StampOfReceipt, 'isRecorded'> & { readonly receipt: Receipt };

/** Storage's response about a stamp's file. */
export type StampFile = {
  readonly stampId: string;
  /** `failed` is known of confirmed stamps alone. */
  readonly status: 'pending' | 'success' | 'failed';
  /** How its content came; null in older rows. */
  readonly came: 'with-stamp' | 'later' | null;
  /** Its name and path, once it is stored. */
  readonly fileName: string | null;
  readonly filePath: string | null;
  /** Why it never will be stored; for its owner. */
  readonly fault: string | null;
};

/** Storage's response to an upload. */
export type UploadOutcome =
  | { readonly state: 'pending' }
  | {
      readonly state: 'stored';
      readonly outcome: 'created' | 'existing';
      /** The earliest commitment that has a file, and that file. */
      readonly receipt: Receipt;
      readonly fileName: string;
      readonly filePath: string;
      /** The file's stamp. Absent while storage does not know the commitment's stamp. */
      readonly stampId?: string;
    }
  /** Its content can never be stored; retry the upload. */
  | { readonly state: 'failed' };
