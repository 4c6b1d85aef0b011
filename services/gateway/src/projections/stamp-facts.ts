import type { Hex } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  FileStored,
  type Receipt,
  type Refusal,
  StampConfirmed,
  StampFailed,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
} from '@indelible/messages';

/** The messages the status view is made of. */
export const stampMessages = [
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampsSubmitted,
  StampConfirmed,
  StampsFinalized,
  StampReverted,
  StampFailed,
  FileStored,
];

/** What a batch of messages says of one stamp: left out where it says nothing. */
export type StampFacts = {
  account?: Hex;
  objectCid?: Hex;
  setCid?: Hex;
  requestedAt?: string;
  submitted?: true;
  /** Null: a reorg took the receipt. */
  receipt?: Receipt | null;
  refusal?: Refusal;
  fileName?: string;
  filePath?: string;
};

export type FoldedMessages = {
  readonly facts: ReadonlyMap<string, StampFacts>;
  /** Ids of requests that joined a stamp, and the stamp's. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Hashes of blocks that are final. */
  readonly finalBlocks: ReadonlySet<Hex>;
};

/**
 * Folds messages in their order. A stamp's own messages are ordered; those of its batch come at any time: that it is
 * submitted only ever sets a mark of its own, that it is final is said of its block.
 */
export function foldStampMessages(messages: readonly IncomingMessage[]): FoldedMessages {
  const facts = new Map<string, StampFacts>();
  const aliases = new Map<string, string>();
  const finalBlocks = new Set<Hex>();
  const of = (id: string): StampFacts => {
    const known = facts.get(id) ?? {};
    facts.set(id, known);
    return known;
  };
  for (const message of messages) {
    if (isMessage(message, StampRequested)) {
      const { stampId, account, objectCid, setCid, requestedAt } = message.data;
      Object.assign(of(stampId), { account, objectCid, setCid, requestedAt });
    } else if (isMessage(message, StampRequestJoined)) aliases.set(message.data.requestId, message.data.stampId);
    else if (isMessage(message, StampRequestRefused)) {
      const { requestId, account, objectCid, setCid, requestedAt, refusal } = message.data;
      Object.assign(of(requestId), { account, objectCid, setCid, requestedAt, refusal });
    } else if (isMessage(message, StampsSubmitted)) for (const id of message.data.stampIds) of(id).submitted = true;
    else if (isMessage(message, StampConfirmed)) {
      const { stampId, receipt } = message.data;
      const { account, objectCid, setCid } = receipt;
      Object.assign(of(stampId), { account, objectCid, setCid, receipt });
    } else if (isMessage(message, StampsFinalized)) finalBlocks.add(message.data.blockHash);
    else if (isMessage(message, StampReverted))
      Object.assign(of(message.data.stampId), { receipt: null, submitted: true });
    else if (isMessage(message, StampFailed)) of(message.data.stampId).refusal = message.data.refusal;
    else if (isMessage(message, FileStored)) {
      const { stampId, account, objectCid, setCid, fileName, filePath } = message.data;
      Object.assign(of(stampId), { account, objectCid, setCid, fileName, filePath });
    }
  }
  return { facts, aliases, finalBlocks };
}
