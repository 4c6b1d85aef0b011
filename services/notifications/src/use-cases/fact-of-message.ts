import { type IncomingMessage, isMessage } from '@indelible/kafka';
import {
  AccountOpened,
  CollectionCreated,
  CollectionRegistered,
  type DataOf,
  FileFailed,
  FileFailedV2,
  FileStored,
  FileStoredV2,
  type MessageContract,
  StampConfirmed,
  StampConfirmedV3,
  StampFailed,
  StampFailedV2,
  StampReverted,
  StampRevertedV3,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV2,
} from '@indelible/messages';
import { PermanentError } from '@indelible/service-runtime';
import type { Envelope, Fact, Stamp } from '../decisions/facts.ts';

/** No longer published: they lack what an event needs, and none is made of them. */
const formerMessages: readonly MessageContract[] = [StampConfirmed, StampReverted, StampFailed, FileStored, FileFailed];

/** What this service consumes. */
export const consumedMessages: readonly MessageContract[] = [
  AccountOpened,
  CollectionRegistered,
  CollectionCreated,
  StampsSubmitted,
  StampsSubmittedV2,
  StampConfirmedV3,
  StampRevertedV3,
  StampsFinalized,
  StampFailedV2,
  FileStoredV2,
  FileFailedV2,
  ...formerMessages,
];

/** @returns undefined of what no event can be made of */
export function factOf(message: IncomingMessage): Fact | undefined {
  const { id: messageId, time, traceparent } = message;
  const envelope: Envelope = { messageId, time, ...(traceparent === undefined ? {} : { traceparent }) };
  if (isMessage(message, StampConfirmedV3)) {
    const { batchId, receipt } = message.data;
    return { ...envelope, kind: 'confirmed', batchId, stamp: stampOfReceipt(message.data, receipt), receipt };
  }
  if (isMessage(message, StampsSubmittedV2)) {
    const { batchId, part, parts, stamps, submittedAt } = message.data;
    return { ...envelope, time: submittedAt, kind: 'submitted', batchId, part, parts, stamps: stamps.map(stampOf) };
  }
  if (isMessage(message, StampsSubmitted)) return { ...envelope, kind: 'former-batch', batchId: message.data.batchId };
  if (isMessage(message, StampsFinalized)) {
    const { batchId, blockHash, stampIds } = message.data;
    return { ...envelope, kind: 'finalized', batchId, blockHash, stampIds };
  }
  if (isMessage(message, StampRevertedV3)) {
    const { batchId, formerReceipt: receipt, revertedAt } = message.data;
    const stamp = stampOfReceipt(message.data, receipt);
    return { ...envelope, time: revertedAt, kind: 'reverted', batchId, stamp, receipt };
  }
  if (isMessage(message, StampFailedV2)) {
    const { refusal, failedAt } = message.data;
    return { ...envelope, time: failedAt, kind: 'failed', stamp: stampOf(message.data), refusal };
  }
  if (isMessage(message, FileStoredV2)) {
    const { fileName, filePath, came, storedAt } = message.data;
    const stamp = stampOf(message.data);
    const withStamp = came === 'with-stamp';
    return { ...envelope, time: storedAt, kind: 'file-stored', stamp, fileName, filePath, withStamp };
  }
  if (isMessage(message, FileFailedV2)) {
    const { reason, failedAt } = message.data;
    return {
      ...envelope,
      time: failedAt,
      kind: 'file-failed',
      stamp: stampOf(message.data),
      reason,
      // Only content that came with a stamp or a joined request is reported as failed.
      withStamp: true,
    };
  }
  if (isMessage(message, CollectionRegistered)) {
    const { account, cid: setCid, name, description, isPinned, isPublic } = message.data;
    const collection = { account, setCid, name, description, isPinned, isPublic };
    return { ...envelope, kind: 'collection-registered', collection };
  }
  if (isMessage(message, CollectionCreated)) {
    const { account, cid: setCid, chainId, transactionHash, blockNumber, blockTime } = message.data;
    return {
      ...envelope,
      kind: 'collection-created',
      ...{ account, setCid, chainId, transactionHash, blockNumber, blockTime },
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

type ReceiptData = Pick<DataOf<typeof StampConfirmedV3>, 'stampId' | 'requestId' | 'collectionName' | 'clientRef'>;
const stampOfReceipt = (data: ReceiptData, receipt: DataOf<typeof StampConfirmedV3>['receipt']): Stamp => {
  const { account, setCid, objectCid } = receipt;
  return stampOf({ ...data, account, setCid, objectCid });
};
