import { CreateCollection } from './commands-collections/create-collection.ts';
import { KeepNonConfirmedContent } from './commands-files/keep-non-confirmed-content.ts';
import { maxUploadReceipts, StoreUploadedContent } from './commands-files/store-uploaded-content.ts';
import { maxReferenceLength, RequestStamp } from './commands-stamps/request-stamp.ts';
import { RequestStampV2 } from './commands-stamps/request-stamp-v2.ts';
import type { MessageContract } from './contract.ts';
import { AccountOpened } from './events-accounts/account-opened.ts';
import { BlockAppended } from './events-chain/block-appended.ts';
import { BlocksFinalized } from './events-chain/blocks-finalized.ts';
import { BlocksReverted } from './events-chain/blocks-reverted.ts';
import { BlocksSafe } from './events-chain/blocks-safe.ts';
import { CollectionCreated } from './events-collections/collection-created.ts';
import { CollectionCreatedV1 } from './events-collections/collection-created-v1.ts';
import { CollectionRegistered } from './events-collections/collection-registered.ts';
import { CollectionReverted } from './events-collections/collection-reverted.ts';
import { FileFailed } from './events-files/file-failed.ts';
import { FileFailedV1 } from './events-files/file-failed-v1.ts';
import { FileFailedV2 } from './events-files/file-failed-v2.ts';
import { FileStored } from './events-files/file-stored.ts';
import { FileStoredV1 } from './events-files/file-stored-v1.ts';
import { PlainRequestJoined } from './events-requests/plain-request-joined.ts';
import { PlainRequestRefused } from './events-requests/plain-request-refused.ts';
import { StampConfirmed } from './events-stamps/stamp-confirmed.ts';
import { StampConfirmedV2 } from './events-stamps/stamp-confirmed-v2.ts';
import { StampFailed } from './events-stamps/stamp-failed.ts';
import { StampFailedV1 } from './events-stamps/stamp-failed-v1.ts';
import { StampRequestJoined } from './events-stamps/stamp-request-joined.ts';
import { StampRequestRefused } from './events-stamps/stamp-request-refused.ts';
import { StampRequested } from './events-stamps/stamp-requested.ts';
import { StampReverted } from './events-stamps/stamp-reverted.ts';
import { StampRevertedV2 } from './events-stamps/stamp-reverted-v2.ts';
import { StampsFinalized } from './events-stamps/stamps-finalized.ts';
import { StampsSubmitted } from './events-stamps/stamps-submitted.ts';
import { StampsSubmittedV1 } from './events-stamps/stamps-submitted-v1.ts';
import { maxSubmittedStamps, StampsSubmittedV2 } from './events-stamps/stamps-submitted-v2.ts';
import { StampsSubmittedV3 } from './events-stamps/stamps-submitted-v3.ts';

export type {
  ConfirmationOfStamp,
  FoundStamp,
  StampFacts,
  StampFile,
  StampOfReceipt,
  StampStatus,
  UploadOutcome,
} from './answers.ts';
export { commandGroups } from './command-groups.ts';
export { consumerGroups } from './consumer-groups.ts';
export { type DataOf, type MessageContract, type RecordLabel, subjectOf, type TopicName } from './contract.ts';
export type { ChainLog } from './events-chain/block-appended.ts';
export {
  type ChainPosition,
  type ChainWay,
  rewound,
  unknownHash,
  wayOfBlock,
  wayOfMark,
  wayOfRevert,
} from './events-chain/follow.ts';
export type { Receipt, Refusal, RefusalCode, StagedContent, TargetSet } from './fields.ts';
export { type Column, ColumnError, fromColumn, toColumn } from './packs/columns.ts';
export { groupIntoRecords, type Packable, recordBounds } from './packs/group-into-records.ts';
export { columnsContentType, type PackedItem, packInColumns, unpackColumns } from './packs/pack-in-columns.ts';
export {
  fromPackRow,
  type PackRow,
  packStream,
  type StoredEvent,
  type StoredPack,
  toPackRow,
} from './packs/stored-pack.ts';
export { type AddressedReply, parseReplies, type Reply } from './replies.ts';
export { requestDays, topics, type Unhandled } from './topics.ts';
export {
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CollectionCreated,
  CollectionCreatedV1,
  CollectionRegistered,
  CollectionReverted,
  CreateCollection,
  FileFailed,
  FileFailedV1,
  FileFailedV2,
  FileStored,
  FileStoredV1,
  KeepNonConfirmedContent,
  maxReferenceLength,
  maxSubmittedStamps,
  maxUploadReceipts,
  PlainRequestJoined,
  PlainRequestRefused,
  RequestStamp,
  RequestStampV2,
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
  StoreUploadedContent,
};

/** Every message type of the service: what provisioning registers. */
export const allMessages: readonly MessageContract[] = [
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CollectionCreatedV1,
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  CreateCollection,
  FileFailedV1,
  FileFailedV2,
  FileFailed,
  FileStoredV1,
  FileStored,
  KeepNonConfirmedContent,
  PlainRequestJoined,
  PlainRequestRefused,
  RequestStampV2,
  RequestStamp,
  StampConfirmedV2,
  StampConfirmed,
  StampFailedV1,
  StampFailed,
  StampRequestJoined,
  StampRequestRefused,
  StampRequested,
  StampRevertedV2,
  StampReverted,
  StampsFinalized,
  StampsSubmittedV1,
  StampsSubmittedV2,
  StampsSubmittedV3,
  StampsSubmitted,
  StoreUploadedContent,
];
