import { CreateCollection } from './commands-collections/create-collection.ts';
import { KeepNonConfirmedContent } from './commands-files/keep-non-confirmed-content.ts';
import { maxUploadReceipts, StoreUploadedContent } from './commands-files/store-uploaded-content.ts';
import { RequestStamp } from './commands-stamps/request-stamp.ts';
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
import { FileStored } from './events-files/file-stored.ts';
import { PlainRequestJoined } from './events-requests/plain-request-joined.ts';
import { PlainRequestRefused } from './events-requests/plain-request-refused.ts';
import { StampConfirmed } from './events-stamps/stamp-confirmed.ts';
import { StampFailed } from './events-stamps/stamp-failed.ts';
import { StampRequestJoined } from './events-stamps/stamp-request-joined.ts';
import { StampRequestRefused } from './events-stamps/stamp-request-refused.ts';
import { StampRequested } from './events-stamps/stamp-requested.ts';
import { StampReverted } from './events-stamps/stamp-reverted.ts';
import { StampsFinalized } from './events-stamps/stamps-finalized.ts';
import { StampsSubmitted } from './events-stamps/stamps-submitted.ts';

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
export { requestDays, topics, type Unhandled } from './topics.ts';
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
  FileStored,
  KeepNonConfirmedContent,
  maxUploadReceipts,
  PlainRequestJoined,
  PlainRequestRefused,
  RequestStamp,
  StampConfirmed,
  StampFailed,
  StampRequested,
  StampRequestJoined,
  StampRequestRefused,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
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
  FileStored,
  KeepNonConfirmedContent,
  PlainRequestJoined,
  PlainRequestRefused,
  RequestStamp,
  StampConfirmed,
  StampFailed,
  StampRequestJoined,
  StampRequestRefused,
  StampRequested,
  StampReverted,
  StampsFinalized,
  StampsSubmitted,
  StoreUploadedContent,
];
