import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Address, Bytes32, Count, Instant, ReplyTo, Uuid } from '../fields.ts';

/** The content of a stamp lies under its final path. */
export const FileStored = defineMessage({
  type: 'FileStored',
  version: 1,
  topic: 'events.files',
  producer: 'storage',
  consumers: ['gateway'],
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
export type FileStored = DataOf<typeof FileStored>;
