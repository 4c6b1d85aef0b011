import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { FileStored } from './file-stored.ts';

/** Version 1 with what its owner knows the stamp by, and which way the content came. */
export const FileStoredV2 = defineMessage({
  ...FileStored,
  version: 2,
  consumers: ['gateway', 'notifications'],
  schema: Type.Object({
    ...stampIdentity,
    fileName: Type.String({ minLength: 1 }),
    filePath: Type.String({ minLength: 1 }),
    size: FileStored.schema.properties.size,
    crc32c: FileStored.schema.properties.crc32c,
    /** With its stamp, so that it follows a StampConfirmed, or later, for a commitment that is known. */
    came: Type.Union([Type.Literal('with-stamp'), Type.Literal('later')]),
    replyTo: ReplyTo,
    storedAt: Instant,
  }),
});
export type FileStoredV2 = DataOf<typeof FileStoredV2>;
