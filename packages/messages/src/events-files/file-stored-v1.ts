import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, ReplyTo, Uuid } from '../fields.ts';

/**
 * The former version, without the stamp's identity and how the content came. No longer published. Stays in the topic
 * forever.
 */
export const FileStoredV1 = defineMessage({
  type: 'FileStored',
  version: 1,
  topic: 'events.files',
  producer: 'storage',
  consumers: [],
  schema: Type.Object({
    stampId: Uuid,
    account: Address,
    setCid: Bytes32,
    objectCid: Bytes32,
    fileName: Type.String({ minLength: 1 }),
    filePath: Type.String({ minLength: 1 }),
    size: Count,
    crc32c: Type.Integer({ minimum: 0, maximum: 0xffffffff }),
    replyTo: ReplyTo,
    storedAt: Instant,
  }),
  key: (data) => data.stampId,
});
export type FileStoredV1 = DataOf<typeof FileStoredV1>;
