import { CreateCollection } from './commands-collections/create-collection.ts';
import { KeepNonConfirmedContent } from './commands-files/keep-non-confirmed-content.ts';
import { maxUploadReceipts, StoreUploadedContent } from './commands-files/store-uploaded-content.ts';
import { RequestStamp } from './commands-stamps/request-stamp.ts';
import { maxReferenceLength, RequestStampV3 } from './commands-stamps/request-stamp-v3.ts';
import type { MessageContract } from './contract.ts';
import { AccountOpened } from './events-accounts/account-opened.ts';
import { BlockAppended } from './events-chain/block-appended.ts';
import { BlocksFinalized } from './events-chain/blocks-finalized.ts';
import { BlocksReverted } from './events-chain/blocks-reverted.ts';
import { BlocksSafe } from './events-chain/blocks-safe.ts';
import { CollectionCreated } from './events-collections/collection-created.ts';
import { CollectionRegistered } from './events-collections/collection-registered.ts';
import { CollectionReverted } from './events-collections/collection-reverted.ts';
import { FileFailed } from './events-files/file-failed.ts';
import { FileFailedV2 } from './events-files/file-failed-v2.ts';
import { FileStored } from './events-files/file-stored.ts';
import { FileStoredV2 } from './events-files/file-stored-v2.ts';
import { StampConfirmed } from './events-stamps/stamp-confirmed.ts';
import { StampConfirmedV3 } from './events-stamps/stamp-confirmed-v3.ts';
import { StampFailed } from './events-stamps/stamp-failed.ts';
import { StampFailedV2 } from './events-stamps/stamp-failed-v2.ts';
import { StampRequestJoined } from './events-stamps/stamp-request-joined.ts';
import { StampRequestRefused } from './events-stamps/stamp-request-refused.ts';
import { StampRequested } from './events-stamps/stamp-requested.ts';
import { StampReverted } from './events-stamps/stamp-reverted.ts';
import { StampRevertedV3 } from './events-stamps/stamp-reverted-v3.ts';
import { StampsFinalized } from './events-stamps/stamps-finalized.ts';
import { StampsSubmitted } from './events-stamps/stamps-submitted.ts';
import { maxSubmittedStamps, StampsSubmittedV2 } from './events-stamps/stamps-submitted-v2.ts';

export { commandGroups } from './command-groups.ts';
export { type DataOf, type MessageContract, subjectOf, type TopicName } from './contract.ts';
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
export type { Receipt, Refusal, StagedContent, TargetSet } from './fields.ts';
export { topics, type Unhandled } from './topics.ts';
export {
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  CreateCollection,
  FileFailed,
  FileFailedV2,
  FileStored,
  FileStoredV2,
  KeepNonConfirmedContent,
  maxReferenceLength,
  maxSubmittedStamps,
  maxUploadReceipts,
  RequestStamp,
  RequestStampV3,
  StampConfirmed,
  StampConfirmedV3,
  StampFailed,
  StampFailedV2,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampRevertedV3,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV2,
  StoreUploadedContent,
};

/** Every message type of the service: what provisioning registers. */
export const allMessages: readonly MessageContract[] = [
  AccountOpened,
  BlockAppended,
  BlocksFinalized,
  BlocksReverted,
  BlocksSafe,
  CollectionCreated,
  CollectionRegistered,
  CollectionReverted,
  CreateCollection,
  FileFailed,
  FileFailedV2,
  FileStored,
  FileStoredV2,
  KeepNonConfirmedContent,
  RequestStamp,
  RequestStampV3,
  StampConfirmed,
  StampConfirmedV3,
  StampFailed,
  StampFailedV2,
  StampRequestJoined,
  StampRequestRefused,
  StampRequested,
  StampReverted,
  StampRevertedV3,
  StampsFinalized,
  StampsSubmitted,
  StampsSubmittedV2,
  StoreUploadedContent,
];
