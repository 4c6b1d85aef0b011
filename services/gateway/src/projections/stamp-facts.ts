import type { Hex } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  FileFailed,
  FileFailedV1,
  FileFailedV2,
  FileStored,
  FileStoredV1,
  PlainRequestJoined,
  PlainRequestRefused,
  type Receipt,
  type Refusal,
  type StagedContent,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV2,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
} from '@indelible/messages';

/** The messages the status view is made of: of events, those of former versions as well, since a rebuild reads them (I8). */
export const stampMessages = [
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  PlainRequestJoined,
  PlainRequestRefused,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
  StampsSubmitted,
  StampConfirmedV2,
  StampConfirmed,
  StampsFinalized,
  StampRevertedV2,
  StampReverted,
  StampFailedV1,
  StampFailed,
  FileStoredV1,
  FileStored,
  FileFailedV1,
  FileFailedV2,
  FileFailed,
];

/** What a batch of messages says of one stamp: left out where it says nothing. */
export type StampFacts = {
  account?: Hex;
  objectCid?: Hex;
  setCid?: Hex;
  requestedAt?: string;
  /** Null: a reorg took the receipt. */
  receipt?: Receipt | null;
  refusal?: Refusal;
  fileName?: string;
  filePath?: string;
  /** Content came with it that is to be stored. */
  awaitsFile?: true;
  /** Why that content never will be stored. */
  fileFault?: string;
};

export type FoldedMessages = {
  readonly facts: ReadonlyMap<string, StampFacts>;
  /** Ids of requests that joined a stamp, and the stamp's. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Ids of requests that made no stamp, and when that was decided. */
  readonly withoutStamp: ReadonlyMap<string, string>;
  /** Batches on their way to a block, and their stamps. */
  readonly submitted: ReadonlyMap<string, readonly string[]>;
  /** Batches that are final, and every stamp that will not be on its way again. */
  readonly doneBatches: ReadonlySet<string>;
  readonly doneStamps: ReadonlySet<string>;
  /** Hashes of blocks that are final. */
  readonly finalBlocks: ReadonlySet<Hex>;
};

/**
 * Folds messages in their order. A stamp's own messages are ordered; those of its batch come at any time: that a batch
 * is submitted is kept by the batch, that it is final is said of its block.
 */
export function foldStampMessages(messages: readonly IncomingMessage[]): FoldedMessages {
  const facts = new Map<string, StampFacts>();
  const aliases = new Map<string, string>();
  const withoutStamp = new Map<string, string>();
  const submitted = new Map<string, readonly string[]>();
  const doneBatches = new Set<string>();
  const doneStamps = new Set<string>();
  const finalBlocks = new Set<Hex>();
  const of = (id: string): StampFacts => {
    const known = facts.get(id) ?? {};
    facts.set(id, known);
    return known;
  };
  for (const message of messages) {
    if (isMessage(message, StampRequested)) {
      const { stampId, account, objectCid, setCid, requestedAt, content } = message.data;
      Object.assign(of(stampId), { account, objectCid, setCid, requestedAt, ...awaitsFile(content) });
    } else if (isMessage(message, StampRequestJoined) || isMessage(message, PlainRequestJoined)) {
      const { requestId, stampId } = message.data;
      aliases.set(requestId, stampId);
      withoutStamp.set(requestId, message.time);
    } else if (isMessage(message, StampRequestRefused) || isMessage(message, PlainRequestRefused)) {
      const { requestId, account, objectCid, setCid, requestedAt, refusal } = message.data;
      withoutStamp.set(requestId, message.time);
      Object.assign(of(requestId), { account, objectCid, setCid, requestedAt, refusal });
    } else if (
      isMessage(message, StampsSubmitted) ||
      isMessage(message, StampsSubmittedV3) ||
      isMessage(message, StampsSubmittedV2)
    ) {
      const { batchId, stamps } = message.data;
      submitted.set(batchId, [...(submitted.get(batchId) ?? []), ...stamps.map(({ stampId }) => stampId)]);
    } else if (isMessage(message, StampsSubmittedV1)) submitted.set(message.data.batchId, message.data.stampIds);
    else if (isMessage(message, StampConfirmed) || isMessage(message, StampConfirmedV2)) {
      const { stampId, receipt, content } = message.data;
      const { account, objectCid, setCid } = receipt;
      Object.assign(of(stampId), { account, objectCid, setCid, receipt, ...awaitsFile(content) });
    } else if (isMessage(message, StampsFinalized)) {
      const { batchId, blockHash, stampIds } = message.data;
      finalBlocks.add(blockHash);
      doneBatches.add(batchId);
      for (const id of stampIds) doneStamps.add(id);
    } else if (isMessage(message, StampReverted) || isMessage(message, StampRevertedV2))
      of(message.data.stampId).receipt = null;
    else if (isMessage(message, StampFailed) || isMessage(message, StampFailedV1)) {
      const { stampId, refusal } = message.data;
      of(stampId).refusal = refusal;
      doneStamps.add(stampId);
    } else if (isMessage(message, FileStored) || isMessage(message, FileStoredV1)) {
      const { stampId, account, objectCid, setCid, fileName, filePath } = message.data;
      Object.assign(of(stampId), { account, objectCid, setCid, fileName, filePath });
    } else if (isMessage(message, FileFailed) || isMessage(message, FileFailedV2) || isMessage(message, FileFailedV1))
      of(message.data.stampId).fileFault = message.data.reason;
  }
  return { facts, aliases, withoutStamp, submitted, doneBatches, doneStamps, finalBlocks };
}

const awaitsFile = (content: StagedContent | null): Pick<StampFacts, 'awaitsFile'> =>
  content === null ? {} : { awaitsFile: true };
