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

/** The position of a stamp's submission among its events. */
export type Place = {
  /** Its number, from 1. */
  readonly attempt: number;
  /** Number of reversions of the stamp before it. */
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

/** From the fact's message. */
export type Envelope = { readonly messageId: string; readonly time: string; readonly traceparent?: string };

export type FileFact = Envelope &
  (
    | {
        readonly kind: 'file-stored';
        readonly stamp: Stamp;
        readonly fileName: string;
        readonly filePath: string;
        /** Whether its content came with the stamp, not for an existing commitment. */
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

/** Internal messages in this service's terms. */
export type Fact =
  | FileFact
  | ConfirmedFact
  | FinalizedFact
  | (Envelope & {
      readonly kind: 'submitted';
      readonly batchId: string;
      /** The number of this part of the batch, from 1. */
      readonly part: number;
      readonly parts: number;
      /** Without a place when submitted by an earlier release; with their own requests' trace context, if any. */
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
  /** The reversions that submissions of the stamp wait for never came. */
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
