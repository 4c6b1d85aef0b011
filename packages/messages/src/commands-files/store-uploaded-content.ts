import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Instant, Receipt, ReplyTo, StagedContent, Uuid } from '../fields.ts';

/** The most commitments of one content in one set that get a file: bounds the message. */
export const maxUploadReceipts = 500;

/** Requests storing of earlier stamped content for each of its commitments in a set, unless one has a file. */
export const StoreUploadedContent = defineMessage({
  type: 'StoreUploadedContent',
  version: 1,
  topic: 'commands.files',
  producer: 'gateway',
  consumers: ['storage'],
  schema: Type.Object({
    requestId: Uuid,
    account: Address,
    setCid: Bytes32,
    objectCid: Bytes32,
    /** A folder of the stored path. */
    collectionName: Type.String({ minLength: 1 }),
    /** The commitments as verification knew them: the account's, of this object in this set. */
    receipts: Type.Array(Receipt, { minItems: 1, maxItems: maxUploadReceipts }),
    content: StagedContent,
    replyTo: ReplyTo,
    requestedAt: Instant,
  }),
  /** Uploads of the same content are handled in order: one of them stores. */
  key: (data) => `${data.account}:${data.setCid}:${data.objectCid}`,
});
export type StoreUploadedContent = DataOf<typeof StoreUploadedContent>;
