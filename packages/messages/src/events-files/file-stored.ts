import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { FileStoredV1 } from './file-stored-v1.ts';

/** With its stamp, so that it follows a StampConfirmed, or later, for a commitment that is known. */
export const Came = Type.Union([Type.Literal('with-stamp'), Type.Literal('later')]);

/** The content of a stamp is at its final path. */
export const FileStored = defineMessage({
  ...FileStoredV1,
  version: 2,
  consumers: ['notifications'],
  schema: Type.Object({
    ...stampIdentity,
    fileName: Type.String({ minLength: 1 }),
    filePath: Type.String({ minLength: 1 }),
    size: FileStoredV1.schema.properties.size,
    crc32c: FileStoredV1.schema.properties.crc32c,
    came: Came,
    replyTo: ReplyTo,
    storedAt: Instant,
  }),
});
export type FileStored = DataOf<typeof FileStored>;
