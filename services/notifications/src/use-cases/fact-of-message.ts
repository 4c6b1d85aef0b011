import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  AccountOpened,
  CollectionCreated,
  CollectionCreatedV1,
  CollectionRegistered,
  type DataOf,
  FileFailed,
  FileFailedV1,
  FileFailedV2,
  FileStored,
  FileStoredV1,
  type MessageContract,
  StampConfirmed,
  StampConfirmedV2,
  StampFailed,
  StampFailedV1,
  StampReverted,
  StampRevertedV2,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
} from '@indelible/messages';
import { PermanentError } from '@indelible/service-runtime';
import type { Envelope, Fact, Stamp } from '../decisions/facts.ts';
import { holdsUnstorableText } from '../decisions/unstorable-text.ts';

/** No longer published: they lack data that events need, and produce none. */
const formerMessages: readonly MessageContract[] = [StampConfirmedV2, StampFailedV1, FileStoredV1, FileFailedV1];

/** Consumed messages, by topic, including older versions. */
export const accountMessages = [AccountOpened];
export const collectionMessages = [CollectionRegistered, CollectionCreatedV1, CollectionCreated];
export const stampMessages = [
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
  StampsSubmitted,
  StampConfirmedV2,
  StampConfirmed,
  StampRevertedV2,
  StampReverted,
  StampsFinalized,
  StampFailedV1,
  StampFailed,
];
export const fileMessages = [FileStoredV1, FileStored, FileFailedV1, FileFailedV2, FileFailed];
export const consumedMessages: readonly MessageContract[] = [
  ...accountMessages,
  ...collectionMessages,
  ...stampMessages,
  ...fileMessages,
];

/** @throws PermanentError of a message whose text no database can hold */
export const factsOf = (messages: readonly IncomingMessage[]): readonly Fact[] =>
  messages.flatMap((message) => factOf(message) ?? []);

/**
 * @returns undefined when it produces no event
 * @throws PermanentError for a message with text that no database can hold
 */
function factOf(message: IncomingMessage): Fact | undefined {
  const fact = readFact(message);
  if (holdsUnstorableText(fact)) throw new PermanentError('holds U+0000 or a lone surrogate, which no database can');
  return fact;
}

function readFact(message: IncomingMessage): Fact | undefined {
  const { id: messageId, time, traceparent } = message;
  const envelope: Envelope = { messageId, time, ...(traceparent === undefined ? {} : { traceparent }) };
  if (isMessage(message, StampConfirmed)) {
    const { batchId, receipt } = message.data;
    return { ...envelope, kind: 'confirmed', batchId, stamp: stampOfReceipt(message.data, receipt), receipt };
  }
  if (isMessage(message, StampsSubmitted) || isMessage(message, StampsSubmittedV3)) {
    const { batchId, part, parts, submittedAt } = message.data;
    const stamps: readonly DataOf<typeof StampsSubmitted>['stamps'][number][] = message.data.stamps;
    return {
      ...{ ...envelope, time: submittedAt, kind: 'submitted', batchId, part, parts },
      stamps: stamps.map(({ attempt, reversions, traceparent, ...stamp }) => ({
        ...stampOf(stamp),
        place: { attempt, reversions },
        ...(traceparent === undefined ? {} : { traceparent }),
      })),
    };
  }
  if (isMessage(message, StampsSubmittedV2)) {
    const { batchId, part, parts, stamps, submittedAt } = message.data;
    return { ...envelope, time: submittedAt, kind: 'submitted', batchId, part, parts, stamps: stamps.map(stampOf) };
  }
  if (isMessage(message, StampsSubmittedV1))
    return { ...envelope, kind: 'former-batch', batchId: message.data.batchId };
  if (isMessage(message, StampsFinalized)) {
    const { batchId, blockHash, stampIds } = message.data;
    return { ...envelope, kind: 'finalized', batchId, blockHash, stampIds };
  }
  if (isMessage(message, StampReverted)) {
    const { batchId, formerReceipt: receipt, revertedAt } = message.data;
    const stamp = stampOfReceipt(message.data, receipt);
    return { ...envelope, time: revertedAt, kind: 'reverted', batchId, stamp, receipt };
  }
  if (isMessage(message, StampRevertedV2)) {
    const { stampId, formerReceipt } = message.data;
    return { ...envelope, kind: 'former-reverted', account: formerReceipt.account, stampId };
  }
  if (isMessage(message, StampFailed)) {
    const { refusal, failedAt } = message.data;
    return { ...envelope, time: failedAt, kind: 'failed', stamp: stampOf(message.data), refusal };
  }
  if (isMessage(message, FileStored)) {
    const { fileName, filePath, came, storedAt } = message.data;
    const stamp = stampOf(message.data);
    const withStamp = came === 'with-stamp';
    return { ...envelope, time: storedAt, kind: 'file-stored', stamp, fileName, filePath, withStamp };
  }
  if (isMessage(message, FileFailed)) {
    const { reason, came, failedAt } = message.data;
    const withStamp = came === 'with-stamp';
    return { ...envelope, time: failedAt, kind: 'file-failed', stamp: stampOf(message.data), reason, withStamp };
  }
  if (isMessage(message, FileFailedV2)) {
    const { reason, failedAt } = message.data;
    return { ...envelope, time: failedAt, kind: 'file-failed', stamp: stampOf(message.data), reason, withStamp: true };
  }
  if (isMessage(message, CollectionRegistered)) {
    const { account, cid: setCid, name, description, isPinned, isPublic } = message.data;
    const collection = { account, setCid, name, description, isPinned, isPublic };
    return { ...envelope, kind: 'collection-registered', collection };
  }
  if (isMessage(message, CollectionCreatedV1))
    return { ...envelope, kind: 'collection-created', ...recordedSet(message.data) };
  if (isMessage(message, CollectionCreated)) {
    const { blockHash, logIndex } = message.data;
    return {
      ...envelope,
      kind: 'collection-created',
      ...recordedSet(message.data),
      place: { blockHash, logIndex },
    };
  }
  if (isMessage(message, AccountOpened)) {
    const { account, persistentId, openedAt } = message.data;
    return { ...envelope, time: openedAt, kind: 'account-opened', account, persistentId, openedAt };
  }
  if (formerMessages.some((contract) => isMessage(message, contract))) return undefined;
  throw new PermanentError(`${message.type}.v${message.version} is not handled here`);
}

const stampOf = (stamp: Stamp): Stamp => ({
  stampId: stamp.stampId,
  requestId: stamp.requestId,
  account: stamp.account,
  setCid: stamp.setCid,
  objectCid: stamp.objectCid,
  collectionName: stamp.collectionName,
  clientRef: stamp.clientRef,
});

type ReceiptData = Pick<DataOf<typeof StampConfirmed>, 'stampId' | 'requestId' | 'collectionName' | 'clientRef'>;
const stampOfReceipt = (data: ReceiptData, receipt: DataOf<typeof StampConfirmed>['receipt']): Stamp => {
  const { account, setCid, objectCid } = receipt;
  return stampOf({ ...data, account, setCid, objectCid });
};

const recordedSet = (data: DataOf<typeof CollectionCreatedV1>) => {
  const { account, cid: setCid, chainId, transactionHash, blockNumber, blockTime } = data;
  return { account, setCid, chainId, transactionHash, blockNumber, blockTime };
};
