import type { Hex } from '@indelible/identifiers';
import type {
  DataOf,
  StagedContent,
  StampConfirmed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampRevertedV2,
} from '@indelible/messages';
import { faultOfFileName } from './stored-name.ts';

type Confirmed = Omit<DataOf<typeof StampConfirmed>, 'batchId'>;
export type StampMessage = { readonly id: string; readonly traceparent?: string } & (
  | { readonly type: 'StampRequested'; readonly data: DataOf<typeof StampRequested> }
  | { readonly type: 'StampRequestJoined'; readonly data: DataOf<typeof StampRequestJoined> }
  | { readonly type: 'StampConfirmed'; readonly data: Confirmed }
  | { readonly type: 'StampReverted'; readonly data: Pick<DataOf<typeof StampRevertedV2>, 'stampId'> }
  | { readonly type: 'StampFailed'; readonly data: Pick<DataOf<typeof StampFailedV1>, 'stampId'> }
);
/** A fact about a stamp, from a message or a look-up. */
export type StampFact = OmitId<StampMessage>;
type OmitId<Message> = Message extends unknown ? Omit<Message, 'id'> : never;
export type RefusalMessage = {
  readonly id: string;
  readonly type: 'StampRequestRefused';
  readonly data: DataOf<typeof StampRequestRefused>;
};

/** The facts in a stored file's path; `onChain` is false after a reorg, until the stamp is confirmed again. */
export type Confirmation = {
  readonly onChain: boolean;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
  readonly collectionName: string | null;
  readonly chainId: number;
  readonly blockNumber: number;
  readonly blockHash: Hex | null;
  /** Null in rows from before it was stored. */
  readonly transactionHash: Hex | null;
  readonly logIndex: number;
  readonly blockTime: number;
  /** Id of the HTTP request that made the stamp, and the caller's own reference. Null where unknown. */
  readonly requestId: string | null;
  readonly clientRef: string | null;
};

/** Staged content that will be this stamp's file: at most one, the first offered. */
export type Claim = Omit<StagedContent, 'objectCid'>;

export type FileStatus = 'pending' | 'success' | 'failed';

export type StampState = {
  readonly confirmation: Confirmation | null;
  readonly claim: Claim | null;
  readonly file: FileStatus | null;
};

/** The request that gets the reply when a planned file is stored, and its trace. */
export type Announcement = { readonly replyTo: string | null; readonly traceparent: string | null };

export type StampChange = {
  readonly state: StampState;
  /** Set when the file is now due: its content is claimed, its stamp confirmed. */
  readonly planned: Announcement | null;
  /** Staged content no longer claimed. */
  readonly discards: readonly string[];
  /** Why content can never be stored, for the log. */
  readonly faults: readonly string[];
};

export const unknownStamp: StampState = { confirmation: null, claim: null, file: null };

/**
 * The changes to a stamp's file from its messages, in order. A file is stored once: neither later content nor a reorg
 * touches it; content that will never be a file is discarded (I7).
 */
export function followStamp(before: StampState, messages: readonly StampFact[]): StampChange {
  let { confirmation, claim, file } = before;
  let planned: Announcement | null = null;
  const discards: string[] = [];
  const faults: string[] = [];

  const offer = (content: StagedContent | null): void => {
    if (content === null || content.stagedId === claim?.stagedId) return;
    const fault = faultOfFileName(content.fileName);
    const { objectCid: _, ...offered } = content;
    if (fault === undefined && claim === null && file !== 'pending' && file !== 'success') {
      claim = offered;
      return;
    }
    discards.push(content.stagedId);
    if (fault === undefined) return;
    faults.push(`the file's name ${fault}`);
    if (claim === null && file === null) file = 'failed';
  };
  const storeWhenDue = (announcement: Announcement): void => {
    if (claim === null || confirmation?.onChain !== true || file === 'pending' || file === 'success') return;
    file = 'pending';
    planned = announcement;
  };

  for (const message of messages)
    switch (message.type) {
      case 'StampRequested':
        offer(message.data.content);
        break;
      case 'StampRequestJoined':
        offer(message.data.content);
        storeWhenDue({ replyTo: null, traceparent: message.traceparent ?? null });
        break;
      case 'StampConfirmed':
        confirmation = confirmationOf(message.data);
        offer(message.data.content);
        storeWhenDue({ replyTo: message.data.replyTo, traceparent: message.traceparent ?? null });
        break;
      case 'StampReverted':
        if (confirmation !== null) confirmation = { ...confirmation, onChain: false };
        break;
      case 'StampFailed':
        if (confirmation !== null) confirmation = { ...confirmation, onChain: false };
        if (claim !== null && file !== 'pending') {
          discards.push(claim.stagedId);
          claim = null;
        }
        break;
      default: {
        message satisfies never;
      }
    }
  return { state: { confirmation, claim, file }, planned, discards, faults };
}

/** The confirmation that a receipt shows. */
export const confirmationOf = ({
  receipt,
  collectionName,
  requestId,
  clientRef,
}: Pick<Confirmed, 'receipt' | 'collectionName' | 'requestId' | 'clientRef'>): Confirmation => ({
  onChain: true,
  account: receipt.account,
  setCid: receipt.setCid,
  objectCid: receipt.objectCid,
  collectionName,
  chainId: receipt.chainId,
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash,
  transactionHash: receipt.transactionHash,
  logIndex: receipt.logIndex,
  blockTime: receipt.blockTime,
  requestId,
  clientRef,
});
