import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';

/** What its owner knows a stamp by. */
export type Stamp = {
  readonly stampId: string;
  readonly requestId: string | null;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  readonly collectionName: string | null;
  readonly clientRef: string | null;
};

/** Where a submission of a stamp belongs among its events. */
export type Place = {
  /** Which one it is, from 1. */
  readonly attempt: number;
  /** How many reversions of the stamp come before it. */
  readonly reversions: number;
};

export type Collection = {
  readonly account: Hex;
  readonly setCid: Hex;
  readonly name: string;
  readonly description: string | null;
  readonly isPinned: boolean;
  readonly isPublic: boolean;
};

/** Of the message that a fact is from. */
export type Envelope = { readonly messageId: string; readonly time: string; readonly traceparent?: string };

export type FileFact = Envelope &
  (
    | {
        readonly kind: 'file-stored';
        readonly stamp: Stamp;
        readonly fileName: string;
        readonly filePath: string;
        /** Whether its content came with the stamp, and not for a commitment that was there. */
        readonly withStamp: boolean;
      }
    | { readonly kind: 'file-failed'; readonly stamp: Stamp; readonly reason: string; readonly withStamp: boolean }
  );

export type ConfirmedFact = Envelope & {
  readonly kind: 'confirmed';
  readonly batchId: string;
  readonly stamp: Stamp;
  readonly receipt: Receipt;
};

export type FinalizedFact = Envelope & {
  readonly kind: 'finalized';
  readonly batchId: string;
  readonly blockHash: Hex;
  readonly stampIds: readonly string[];
};

/** What internal messages say, in the words of this service. */
export type Fact =
  | FileFact
  | ConfirmedFact
  | FinalizedFact
  | (Envelope & {
      readonly kind: 'submitted';
      readonly batchId: string;
      /** Which of the parts of the batch these are, from 1. */
      readonly part: number;
      readonly parts: number;
      /** Without a place when an earlier release submitted them; with the trace context of their own requests, where these had one. */
      readonly stamps: readonly (Stamp & { readonly place?: Place; readonly traceparent?: string })[];
    })
  /** A batch that was submitted by a release without public events. */
  | (Envelope & { readonly kind: 'former-batch'; readonly batchId: string })
  | (Envelope & {
      readonly kind: 'reverted';
      readonly batchId: string;
      readonly stamp: Stamp;
      readonly receipt: Receipt;
    })
  /** The same of a release without public events. */
  | (Envelope & { readonly kind: 'former-reverted'; readonly account: Hex; readonly stampId: string })
  /** The reversions for which submissions of the stamp wait do not come. */
  | (Envelope & { readonly kind: 'reversion-missing'; readonly account: Hex; readonly stampId: string })
  | (Envelope & {
      readonly kind: 'failed';
      readonly stamp: Stamp;
      readonly refusal: { readonly code: string; readonly message: string };
    })
  | (Envelope & { readonly kind: 'collection-registered'; readonly collection: Collection })
  | (Envelope & {
      readonly kind: 'collection-created';
      readonly account: Hex;
      readonly setCid: Hex;
      readonly chainId: number;
      readonly transactionHash: Hex;
      readonly blockNumber: number;
      readonly blockTime: number;
      /** Without a place when an earlier release read its block. */
      readonly place?: { readonly blockHash: Hex; readonly logIndex: number | null };
    })
  | (Envelope & {
      readonly kind: 'account-opened';
      readonly account: Hex;
      readonly persistentId: string;
      readonly openedAt: string;
    });
