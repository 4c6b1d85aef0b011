import { Type } from '@sinclair/typebox';
import { type DataOf, defineMessage } from '../contract.ts';
import { Instant, ReplyTo } from '../fields.ts';
import { stampIdentity } from '../stamp-identity.ts';
import { FileFailedV1 } from './file-failed-v1.ts';

/** The content of a stamp that was to be stored never will be: the stamp stands without it. Content that comes later may be stored still. */
export const FileFailed = defineMessage({
  ...FileFailedV1,
  version: 2,
  consumers: ['gateway', 'notifications'],
  schema: Type.Object({ ...stampIdentity, reason: Type.String({ minLength: 1 }), replyTo: ReplyTo, failedAt: Instant }),
});
export type FileFailed = DataOf<typeof FileFailed>;
